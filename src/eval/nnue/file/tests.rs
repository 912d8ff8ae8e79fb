//! Files that are right, and many that are not.

use super::{Leb128Fault, NetFault, leb128};
use crate::eval::nnue::net::Net;
use crate::eval::nnue::samples::{Size, weights};
use crate::eval::nnue::{Shape, Weights, scalar};
use crate::position::Position;
use crate::random::SplitMix64;
use std::io::Read;

fn bytes_of(weights: &Weights) -> Vec<u8> {
    let mut bytes = Vec::new();
    weights.write(&mut bytes).expect("the sample is a net");
    bytes
}

fn fault(bytes: &[u8]) -> NetFault {
    Net::from_bytes("sample", bytes).expect_err("the bytes are no net").fault
}

#[test]
fn what_was_written_is_read_and_written_again() {
    for shape in Shape::ALL {
        for size in Size::ALL {
            let weights = weights(shape, size, 1);
            let bytes = bytes_of(&weights);
            let net = Net::from_bytes("sample", &bytes).unwrap();
            assert_eq!((net.shape(), net.text(), net.expected_hash()), (shape, shape.text(), None));
            assert!(net.weights() == weights, "{shape} {size:?}");
            let mut again = Vec::new();
            net.write(&mut again).unwrap();
            assert!(again == bytes, "{shape} {size:?}");
        }
    }
    assert_eq!(bytes_of(&Weights::zeroed(Shape::HalfKp)).len(), 64_217_066);
    assert_eq!(bytes_of(&Weights::zeroed(Shape::Kp)).len(), 893_917);
}

#[test]
fn a_text_and_a_hash_of_another_program_are_taken() {
    let mut bytes = bytes_of(&weights(Shape::Kp, Size::Realistic, 2));
    let text = b"Features=K+P[1710->256x2],Network=AffineTransformSparseInput";
    bytes.splice(12..12 + 165, text.iter().copied());
    bytes[8..12].copy_from_slice(&(text.len() as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&[1, 2, 3, 4]);
    let net = Net::from_bytes("sample", &bytes).unwrap();
    assert_eq!((net.shape(), net.text().as_bytes()), (Shape::Kp, text.as_slice()));
    assert_eq!(net.expected_hash(), Some(Shape::Kp.file_hash()));
}

#[test]
fn a_file_on_disk_is_named_with_its_fault() {
    let path = std::env::temp_dir().join(format!("komainu-net-{}.bin", std::process::id()));
    std::fs::write(&path, bytes_of(&weights(Shape::Ka2, Size::Realistic, 3))).unwrap();
    assert_eq!(Net::from_file(&path).unwrap().shape(), Shape::Ka2);
    std::fs::write(&path, b"MZ\x90\0 no net").unwrap();
    let error = Net::from_file(&path).unwrap_err().to_string();
    assert!(error.contains("komainu-net-") && error.contains("begins with 0x00905a4d"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = Net::from_file(&path).unwrap_err().to_string();
    assert!(error.contains("komainu-net-"), "{error}");
}

#[test]
fn files_that_are_no_nets_are_told_apart() {
    assert!(matches!(fault(b""), NetFault::Truncated("header")));
    assert!(matches!(fault(&[0x16, 0x2F, 0xF3]), NetFault::Truncated("header")));
    assert!(matches!(fault(&[0; 2000]), NetFault::Version(0)));
    let header = |hash: u32, text: &str| {
        let words = [super::VERSION, hash, text.len() as u32].map(u32::to_le_bytes);
        [words.as_flattened(), text.as_bytes()].concat()
    };
    let halfka = "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2],Network=SFNN-1536{LayerStack=9}";
    for (hash, text) in [(0x3C20_3B32, halfka), (1, "Features=HalfKPE9(Friend)"), (0, "")] {
        let error = fault(&header(hash, text)).to_string();
        assert!(error.contains("HalfKP 256x2-32-32, K-P 256x2-32-32, SFNN ka2 512-15-32"), "{error}");
        assert!(error.contains(&text[..text.len().min(9)]), "{error}");
    }
    let stacks = Shape::Ka2.text().replace("LayerStack=1", "LayerStack=8");
    assert!(matches!(fault(&header(Shape::Ka2.file_hash(), &stacks)), NetFault::Unsupported { .. }));
    // Nine stacks are said to be there, and nothing is.
    let nine = fault(&header(Shape::Ka2K3k3.file_hash(), Shape::Ka2K3k3.text()));
    assert!(matches!(nine, NetFault::Truncated("rows")), "{nine}");
    // A length of text that no file has.
    let mut bytes = header(0, "");
    bytes[8..12].fill(0xFF);
    assert!(matches!(fault(&bytes), NetFault::LongText(u32::MAX)));
    bytes[8..12].copy_from_slice(&60_000u32.to_le_bytes());
    assert!(matches!(fault(&bytes), NetFault::Truncated("header")));
}

#[test]
fn files_of_a_wrong_size_are_refused() {
    let classic = bytes_of(&weights(Shape::Kp, Size::Realistic, 4));
    for bytes in [&classic[..classic.len() - 1], &classic[..10_000], &[&classic[..], &[0]].concat()] {
        let NetFault::Size { shape: Shape::Kp, expected: 893_740, .. } = fault(bytes) else { panic!() };
    }
    let pairwise = bytes_of(&weights(Shape::Ka2, Size::Realistic, 4));
    for bytes in [&pairwise[..pairwise.len() - 1], &[&pairwise[..], &[0]].concat()] {
        assert!(matches!(fault(bytes), NetFault::Size { shape: Shape::Ka2, .. }));
    }
    let stacked = bytes_of(&weights(Shape::Ka2K3k3, Size::Realistic, 4));
    let stack = Shape::Ka2.layer_bytes() as usize;
    for bytes in [&stacked[..stacked.len() - stack], &[&stacked[..], &[0; 8]].concat()] {
        assert!(matches!(fault(bytes), NetFault::Size { shape: Shape::Ka2K3k3, .. }));
    }
    // The end of the file is somewhere else than its size was said to be.
    let read = Net::read(&classic[..classic.len() - 9], classic.len() as u64);
    assert!(matches!(read, Err(NetFault::Truncated("layers"))));
    for length in (0..pairwise.len()).step_by(997) {
        fault(&pairwise[..length]);
    }
}

/// Where the first LEB128 block of a pairwise file begins.
const BLOCK: usize = 12 + 93 + 4;

#[test]
fn malformed_leb128_is_named() {
    let bytes = bytes_of(&Weights::zeroed(Shape::Ka2));
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        match fault(&changed) {
            NetFault::Leb128 { part: "biases", fault } => fault,
            other => panic!("{other}"),
        }
    };
    let first = BLOCK + leb128::TAG.len() + 4;
    assert_eq!(with(BLOCK, b"c"), Leb128Fault::Tag);
    assert_eq!(with(first - 4, &[0xFF; 4]), Leb128Fault::Length(u32::MAX));
    assert_eq!(with(first - 4, &[0, 0, 0, 0]), Leb128Fault::Short(0));
    assert_eq!(with(first - 4, &511u32.to_le_bytes()), Leb128Fault::Short(511));
    assert_eq!(with(first - 4, &513u32.to_le_bytes()), Leb128Fault::Long(1));
    assert_eq!(with(first + 5, &[0x80; 4]), Leb128Fault::Overlong(5));
    assert_eq!(with(first + 5, &[0x80, 0x80, 0x01]), Leb128Fault::Range(5, 16_384));
    assert_eq!(with(first + 511, &[0x80]), Leb128Fault::Short(511));
}

#[test]
fn weights_that_do_not_fit_are_not_written() {
    let refused = |weights: Weights| Net::from_weights(&weights).unwrap_err().to_string();
    let mut weights = Weights::zeroed(Shape::Ka2);
    weights.rows[7] = 16_384;
    assert_eq!(refused(weights), "the rows are malformed: number 7 is 16384, which is out of range");
    let mut weights = Weights::zeroed(Shape::Kp);
    weights.stacks[0][1].weights.pop();
    assert_eq!(refused(weights), "1023 weights of a layer, not 1024");
    let mut weights = Weights::zeroed(Shape::Ka2K3k3);
    weights.stacks.pop();
    assert_eq!(refused(weights), "8 stacks of layers, not 9");
}

#[test]
fn a_net_with_one_stack_becomes_one_with_nine_copies_of_it() {
    let one = weights(Shape::Ka2, Size::Realistic, 6);
    let nine = one.in_shape(Shape::Ka2K3k3).expect("they differ by their stacks alone");
    let net = Net::from_weights(&nine).expect("a net");
    assert_eq!((net.shape(), net.weights()), (Shape::Ka2K3k3, nine.clone()));
    assert!(nine.stacks.iter().all(|stack| *stack == one.stacks[0]) && nine.rows == one.rows);
    assert_eq!(one.in_shape(Shape::Ka2), Some(one.clone()));
    assert_eq!((nine.in_shape(Shape::Ka2), one.in_shape(Shape::Kp)), (None, None));
}

#[test]
fn a_net_without_zones_says_the_same_with_a_copy_of_its_rows_for_each() {
    let one = weights(Shape::Ka2, Size::Realistic, 7);
    let zoned = one.in_shape(Shape::Ka2Zones).expect("they differ by their rows alone");
    let [net, without] = [&zoned, &one].map(|weights| Net::from_weights(weights).expect("a net"));
    assert_eq!((net.shape(), net.weights()), (Shape::Ka2Zones, zoned.clone()));
    assert_eq!((zoned.in_shape(Shape::Ka2), zoned.in_shape(Shape::Ka2K3k3)), (None, None));
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "ln5nl/1k4g2/1sppp1spp/pp3p3/6p2/P1P4PP/1P1PPPP2/3SG1RK1/LN3GSNL b b 1",
        "ln6l/4R4/1spppKspp/pp3p3/6p2/P1P4PP/1P1PPPk2/3SG1R2/LN3GSNL w b 1",
    ] {
        let pos = Position::from_sfen(sfen).expect("a SFEN");
        assert_eq!(scalar::output(&net, &pos), scalar::output(&without, &pos), "{sfen}");
    }
}

#[test]
fn no_changed_file_makes_the_reader_panic() {
    let mut random = SplitMix64(5);
    let samples = [Shape::Kp, Shape::Ka2, Shape::Ka2K3k3, Shape::Ka2Zones]
        .map(|shape| bytes_of(&weights(shape, Size::Realistic, 5)));
    let mut good = 0;
    for round in 0..4_000 {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..random.within(1, 3) {
            // Half of all changes hit the header and the beginning of the first part.
            let end = if random.within(0, 1) == 0 { 200 } else { bytes.len() as i64 - 1 };
            let at = random.within(0, end.min(bytes.len() as i64 - 1)) as usize;
            match random.within(0, 4) {
                0 => bytes[at] ^= 1 << random.within(0, 7),
                1 => bytes[at] = [0, 0x7F, 0x80, 0xFF][random.within(0, 3) as usize],
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.remove(at)),
                _ => bytes.insert(at, random.next_u64() as u8),
            }
        }
        match Net::from_bytes("sample", &bytes) {
            Ok(net) => {
                good += 1;
                if good % 16 == 1 {
                    assert!(Net::from_weights(&net.weights()).unwrap().weights() == net.weights());
                }
            }
            Err(error) => assert!(error.to_string().len() < 500, "{error}"),
        }
    }
    assert!((100..3_000).contains(&good), "{good} of 4000 changed files could be read");
    let noise: Vec<u8> = (0..100_000).map(|_| random.next_u64() as u8).collect();
    fault(&noise);
    let endless = std::io::BufReader::new(std::io::repeat(0).take(10));
    assert!(matches!(Net::read(endless, u64::MAX), Err(NetFault::Version(0))));
}
