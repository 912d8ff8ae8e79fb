//! Files that are right, and many that are not.

use super::{LEB128_TAG, Leb128Fault, NetFault, VERSION, read_leb128, write_leb128};
use crate::eval::nnue::net::Net;
use crate::eval::nnue::samples::{Size, weights};
use crate::eval::nnue::{Shape, Weights, scalar};
use crate::position::Position;
use crate::random::SplitMix64;
use std::io::Cursor;

fn bytes_of(weights: &Weights) -> Vec<u8> {
    let mut bytes = Vec::new();
    weights.write(&mut bytes).expect("the sample is a net");
    bytes
}

fn fault(bytes: &[u8]) -> NetFault {
    Net::from_bytes("sample", bytes).expect_err("the bytes are no net").fault
}

/// Shapes of small files that tests read, of every kind of layers and stacks.
const SHAPES: [&str; 10] = [
    "kp_256x2_32_32",
    "ka2_64x2_16_32",
    "halfkpvm_32x2_8_32",
    "SFNN_ka2_512_15_32",
    "SFNN_ka2_64_15_32_k3k3",
    "SFNN_kp_64_8_32_hand16",
    "SFNN_ka2_32_7_64_k9k9z",
    "SFNN_kp_64_7_32_progress4",
    "SFNN_ka2_32_15_32_hand4_k3k3_progress2",
    "SFNN_ka2_64_16_32_shortcut",
];

fn shape(name: &str) -> Shape {
    name.parse().expect(name)
}

/// A net of random numbers as a file.
fn sample(name: &str, seed: u64) -> Vec<u8> {
    bytes_of(&weights(shape(name), Size::Realistic, seed))
}

/// The file with another text in its header.
fn with_text(bytes: &[u8], text: &str) -> Vec<u8> {
    let length = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes")) as usize;
    [&bytes[..8], &(text.len() as u32).to_le_bytes(), text.as_bytes(), &bytes[12 + length..]].concat()
}

#[test]
fn what_was_written_is_read_and_written_again() {
    for name in SHAPES {
        for size in Size::ALL {
            let weights = weights(shape(name), size, 1);
            let bytes = bytes_of(&weights);
            let net = Net::from_bytes("sample", &bytes).unwrap();
            let text = shape(name).text();
            assert_eq!((net.shape(), net.text(), net.expected_hash()), (shape(name), text.as_str(), None));
            assert!(net.weights() == weights, "{name} {size:?}");
            let mut again = Vec::new();
            net.write(&mut again).unwrap();
            assert!(again == bytes, "{name} {size:?}");
            assert_eq!(net.checksum(), crc32fast::hash(&bytes));
        }
    }
    assert_eq!(bytes_of(&Weights::zeroed(Shape::KP)).len(), 893_917);
}

#[test]
fn a_text_that_names_the_shape_decides_between_shapes_of_one_size() {
    for name in [
        "SFNN_ka2_32_7_32",
        "SFNN_ka2_32_8_32",
        "SFNN_ka2_32_7_32_hand64",
        "SFNN_ka2_32_7_32_hand64z",
        "SFNN_ka2_32_7_32_k9k9",
        "SFNN_ka2_32_7_32_k9k9z",
        "SFNN_ka2_32_7_32_progress32",
        "SFNN_ka2_32_7_32_hand4_progress8",
        "SFNN_ka2_128_7_32_c64_s8x8",
    ] {
        let bytes = sample(name, 2);
        assert_eq!(Net::from_bytes("sample", &bytes).map(|net| net.shape()).unwrap(), shape(name));
        // The tokens of a name stand in any order.
        if let Some((front, keys)) = name.rsplit_once("_hand4") {
            let text = shape(name).text().replace(&name.to_ascii_uppercase(), &format!("{front}{keys}_hand4"));
            assert_eq!(
                Net::from_bytes("sample", &with_text(&bytes, &text)).map(|net| net.shape()).unwrap(),
                shape(name)
            );
        }
    }
}

#[test]
fn sizes_are_believed_before_texts() {
    // A trainer that writes the text of 256x2-32-32 whatever the shape.
    let bytes = with_text(&sample("halfkpvm_96x2_16_64", 3), &Shape::HALF_KP.text());
    assert_eq!(Net::from_bytes("sample", &bytes).unwrap().shape(), shape("halfkpvm_96x2_16_64"));
    for (name, text) in [("kp_64x2_8_32", ""), ("ka2_256x2_16_32", "Features=HalfKA(Friend)[1791->256x2],Network=X")] {
        assert_eq!(Net::from_bytes("sample", &with_text(&sample(name, 3), text)).unwrap().shape(), shape(name));
    }
    // The layers are told by the text, the stacks by the size.
    let bytes = sample("SFNN_ka2_64_15_32_k3k3", 3);
    for keys in ["", "_K9K9", "_PROGRESS2", "_LS9"] {
        let text = format!("ModelType=SFNNWithoutPsqt;Features=K+A2[1791->64x2],Network=SFNN_KA2_64_15_32{keys}");
        let net = Net::from_bytes("sample", &with_text(&bytes, &text)).unwrap();
        assert_eq!(net.shape(), shape("SFNN_ka2_64_15_32_k3k3"));
    }
}

#[test]
fn a_text_of_a_shape_a_little_smaller_does_not_make_the_rest_padding() {
    let smaller = Shape::classic(Shape::KP.features, 256, [32, 31]);
    let error = fault(&with_text(&sample("kp_256x2_32_32", 3), &smaller.text())).to_string();
    assert!(error.contains("K-P 256x2-32-32 or K-P 256x2-32-31"), "{error}");
    let text = Shape::KA2.text().replace("512", "64").replace("15_32", "15_31");
    let error = fault(&with_text(&sample("SFNN_ka2_64_15_32", 3), &text)).to_string();
    assert!(error.contains("SFNN ka2 64-15-32") && error.contains("SFNN ka2 64-15-31"), "{error}");
}

#[test]
fn what_is_ambiguous_is_refused_with_the_shapes_between_which_it_is() {
    let bytes = sample("SFNN_ka2_32_7_32_hand64", 4);
    let unnamed = with_text(&bytes, "ModelType=SFNNWithoutPsqt;Features=K+A2[1791->32x2],Network=SFNN_KA2_32_7_32");
    let error = fault(&unnamed).to_string();
    for word in ["ambiguous", "SFNN ka2 32-7-32 hand64 or SFNN ka2 32-7-32 hand64z", "EvalShape"] {
        assert!(error.contains(word), "{error}");
    }
    let read = |bytes: &[u8], name: &str| Net::read(Cursor::new(bytes), bytes.len() as u64, Some(shape(name)));
    for name in ["SFNN_ka2_32_7_32_hand64", "SFNN_ka2_32_7_32_hand64z", "SFNN_ka2_32_8_32_hand64"] {
        assert_eq!(read(&unnamed, name).unwrap().shape(), shape(name));
    }
    for name in ["SFNN_ka2_32_7_32_k3k3", "SFNN_ka2_64_7_32_hand64", "kp_256x2_32_32"] {
        let error = read(&unnamed, name).unwrap_err().to_string();
        assert!(error.starts_with(&format!("no net {}", shape(name))), "{error}");
    }
    assert!(matches!(read(&sample("kp_64x2_8_32", 4), "kp_64x2_16_32"), Err(NetFault::OtherShape { .. })));
    // Without any text even the number of values of a single stack is not told.
    let error = fault(&with_text(&sample("SFNN_ka2_32_7_32", 4), "")).to_string();
    assert!(error.contains("SFNN ka2 32-7-32") && error.contains("SFNN ka2 32-8-32"), "{error}");
    assert!(error.len() < 500, "{error}");
}

#[test]
fn nets_of_other_programs_are_refused_by_name() {
    let bytes = sample("kp_64x2_8_32", 5);
    for (version, word) in [(0x7AF3_2F20_u32, "0x7af32f20"), (0x7AF3_2F21, "0x7af32f21")] {
        let error = fault(&[&version.to_le_bytes(), &bytes[4..]].concat()).to_string();
        assert!(error.contains(word) && error.contains("LayerStacks"), "{error}");
    }
    for (text, word) in
        [("Features=K+P[1710->64x2]-SCReLU", "SCReLU"), ("Features=K+P[1710->64/2x2]-Pairwise", "Pairwise")]
    {
        let error = fault(&with_text(&bytes, text)).to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn bytes_that_fill_a_file_up_to_64_are_passed_over() {
    for name in SHAPES {
        let bytes = sample(name, 6);
        for filled in [1, 63] {
            let net = Net::from_bytes("sample", &[bytes.as_slice(), &vec![b'b'; filled]].concat()).expect(name);
            assert_eq!(net.shape(), shape(name));
        }
        assert!(Net::from_bytes("sample", &[bytes.as_slice(), &[0; 64]].concat()).is_err(), "{name}");
    }
}

#[test]
fn a_scale_in_the_text_is_the_one_to_use() {
    let bytes = sample("kp_64x2_8_32", 7);
    for (text, scale) in [
        ("Features=K+P[1710->64x2],fv_scale=24", Some(24)),
        ("fv_scale=20,Features=K+P", Some(20)),
        ("fv_scale=0", None),
        ("fv_scale=", None),
        ("fv_scale=99999999999", None),
        ("", None),
    ] {
        assert_eq!(Net::from_bytes("sample", &with_text(&bytes, text)).unwrap().fv_scale(), scale, "{text}");
    }
}

#[test]
fn a_text_and_a_hash_of_another_program_are_taken() {
    let mut bytes = bytes_of(&weights(Shape::KP, Size::Realistic, 2));
    let text = b"Features=K+P[1710->256x2],Network=AffineTransformSparseInput";
    bytes.splice(12..12 + 165, text.iter().copied());
    bytes[8..12].copy_from_slice(&(text.len() as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&[1, 2, 3, 4]);
    let net = Net::from_bytes("sample", &bytes).unwrap();
    assert_eq!((net.shape(), net.text().as_bytes()), (Shape::KP, text.as_slice()));
    assert_eq!(net.expected_hash(), Some(Shape::KP.file_hash()));
}

#[test]
fn a_file_on_disk_is_named_with_its_fault() {
    let path = std::env::temp_dir().join(format!("komainu-net-{}.bin", std::process::id()));
    std::fs::write(&path, bytes_of(&weights(Shape::KA2, Size::Realistic, 3))).unwrap();
    assert_eq!(Net::from_file(&path, None).unwrap().shape(), Shape::KA2);
    std::fs::write(&path, b"MZ\x90\0 no net").unwrap();
    let error = Net::from_file(&path, None).unwrap_err().to_string();
    assert!(error.contains("komainu-net-") && error.contains("begins with 0x00905a4d"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = Net::from_file(&path, None).unwrap_err().to_string();
    assert!(error.contains("komainu-net-"), "{error}");
}

#[test]
fn files_that_are_no_nets_are_told_apart() {
    assert!(matches!(fault(b""), NetFault::Truncated("header")));
    assert!(matches!(fault(&[0x16, 0x2F, 0xF3]), NetFault::Truncated("header")));
    assert!(matches!(fault(&[0; 2000]), NetFault::Version(0)));
    let header = |hash: u32, text: &str| {
        let words = [VERSION, hash, text.len() as u32].map(u32::to_le_bytes);
        [words.as_flattened(), text.as_bytes()].concat()
    };
    for (hash, text) in [(1, "Features=HalfKPE9(Friend)"), (0, "")] {
        let error = fault(&header(hash, text)).to_string();
        assert!(error.contains("unknown shape") && error.contains(&text[..text.len().min(9)]), "{error}");
    }
    let text = Shape::KA2.text();
    let error = fault(&header(Shape::KA2.file_hash(), &text));
    assert!(matches!(error, NetFault::Truncated("rows")), "{error}");
    let error = fault(&[header(Shape::KA2.file_hash(), &text), vec![0; 100]].concat());
    assert!(matches!(error, NetFault::Leb128 { part: "biases", fault: Leb128Fault::Tag }), "{error}");
    // A length of text that no file has.
    let mut bytes = header(0, "");
    bytes[8..12].fill(0xFF);
    assert!(matches!(fault(&bytes), NetFault::LongText(u32::MAX)));
    bytes[8..12].copy_from_slice(&60_000u32.to_le_bytes());
    assert!(matches!(fault(&bytes), NetFault::Truncated("header")));
}

#[test]
fn files_of_a_wrong_size_are_refused() {
    let classic = bytes_of(&weights(Shape::KP, Size::Realistic, 4));
    for bytes in [&classic[..classic.len() - 1], &classic[..10_000], &[&classic[..], &[0; 64]].concat()] {
        let NetFault::Size { shape: Shape::KP, expected: 893_740, .. } = fault(bytes) else { panic!() };
    }
    let pairwise = bytes_of(&weights(Shape::KA2, Size::Realistic, 4));
    for bytes in [&pairwise[..pairwise.len() - 1], &[&pairwise[..], &[0; 64]].concat()] {
        let error = fault(bytes);
        assert!(matches!(error, NetFault::Unknown { .. } | NetFault::Ambiguous { .. }), "{error}");
    }
    // The end of the file is somewhere else than its size was said to be.
    let read = Net::read(Cursor::new(&classic[..classic.len() - 9]), classic.len() as u64, None);
    assert!(matches!(read, Err(NetFault::Truncated("layers"))));
    for length in (0..pairwise.len()).step_by(1_997) {
        fault(&pairwise[..length]);
    }
}

/// Place where the first LEB128 block of a pairwise file begins.
const BLOCK: usize = 12 + 93 + 4;

#[test]
fn malformed_leb128_is_named() {
    let bytes = bytes_of(&Weights::zeroed(Shape::KA2));
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        match fault(&changed) {
            NetFault::Leb128 { part: "biases", fault } => fault,
            other => panic!("{other}"),
        }
    };
    let first = BLOCK + LEB128_TAG.len() + 4;
    assert_eq!(with(BLOCK, b"c"), Leb128Fault::Tag);
    assert_eq!(with(first - 4, &[0xFF; 4]), Leb128Fault::Length(u32::MAX));
    assert_eq!(with(first + 511, &[0x80]), Leb128Fault::Short(511));
    // A number of 16 bits takes up to three bytes.
    let mut three = bytes.clone();
    three.splice(first..first + 1, [0x80, 0x80, 0x02]);
    three[first - 4..first].copy_from_slice(&514u32.to_le_bytes());
    assert!(matches!(fault(&three), NetFault::Leb128 { part: "biases", fault: Leb128Fault::Range(0, 32_768) }));
    let mut four = bytes.clone();
    four.splice(first..first + 1, [0x80, 0x80, 0x80, 0x00]);
    four[first - 4..first].copy_from_slice(&515u32.to_le_bytes());
    assert!(matches!(fault(&four), NetFault::Leb128 { part: "biases", fault: Leb128Fault::Overlong(0) }));
    // Another number of numbers is another width, of which the rows are no multiple.
    let other = |length: u32| {
        let mut changed = bytes.clone();
        changed[first - 4..first].copy_from_slice(&length.to_le_bytes());
        changed.splice(first..first + 512, vec![0; length as usize]);
        fault(&changed)
    };
    assert!(matches!(other(511), NetFault::Unknown { .. }) && matches!(other(0), NetFault::Unknown { .. }));
}

#[test]
fn weights_that_do_not_fit_are_not_written() {
    let refused = |weights: Weights| Net::from_weights(&weights).unwrap_err().to_string();
    let mut weights = Weights::zeroed(Shape::KA2);
    weights.rows[7] = 16_384;
    assert_eq!(refused(weights), "the rows are malformed: number 7 is 16384, which is out of range");
    let mut weights = Weights::zeroed(Shape::KP);
    weights.stacks[0][1].weights.pop();
    assert_eq!(refused(weights), "1023 weights of a layer, not 1024");
    let mut weights = Weights::zeroed(Shape::KA2_K3K3);
    weights.stacks.pop();
    assert_eq!(refused(weights), "8 stacks of layers, not 9");
}

#[test]
fn a_net_with_one_stack_becomes_one_with_nine_copies_of_it() {
    let one = weights(Shape::KA2, Size::Realistic, 6);
    let nine = one.in_shape(Shape::KA2_K3K3).expect("they differ by their stacks alone");
    let net = Net::from_weights(&nine).expect("a net");
    assert_eq!((net.shape(), net.weights()), (Shape::KA2_K3K3, nine.clone()));
    assert!(nine.stacks.iter().all(|stack| *stack == one.stacks[0]) && nine.rows == one.rows);
    assert_eq!(one.in_shape(Shape::KA2), Some(one.clone()));
    assert_eq!((nine.in_shape(Shape::KA2), one.in_shape(Shape::KP)), (None, None));
}

/// Changes bytes of files, mostly of the header and of the sizes, and reads what that makes of them.
fn read_damaged(rounds: usize, seed: u64) {
    let mut random = SplitMix64(seed);
    let samples = SHAPES.map(|name| sample(name, 5));
    let mut good = 0;
    for round in 0..rounds {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..random.within(1, 3) {
            // Most changes hit the header and the beginning of the first part.
            let end = if random.within(0, 3) > 0 { 250 } else { bytes.len() as i64 - 1 };
            let at = random.within(0, end.min(bytes.len() as i64 - 1)) as usize;
            match random.within(0, 6) {
                0 => bytes[at] ^= 1 << random.within(0, 7),
                1 => bytes[at] = [0, 0x7F, 0x80, 0xFF][random.within(0, 3) as usize],
                2 => bytes.truncate(at.max(1)),
                3 if bytes.len() > 1 => drop(bytes.remove(at)),
                4 => bytes[at] = random.within(i64::from(b'0'), i64::from(b'9')) as u8,
                5 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&random.next_u64().to_le_bytes()[..4]),
                _ => bytes.insert(at, random.next_u64() as u8),
            }
        }
        match Net::from_bytes("sample", &bytes) {
            Ok(net) => {
                good += 1;
                if good % 16 == 1 {
                    // A net that was read is a defined one: its bytes are those of a net that gives the same.
                    let mut again = Vec::new();
                    net.write(&mut again).expect("a vector takes all bytes");
                    let again = Net::from_bytes("again", &again).expect("what was written is a net");
                    let pos = Position::startpos();
                    assert_eq!(scalar::output(&again, &pos), scalar::output(&net, &pos));
                }
            }
            Err(error) => assert!(error.to_string().len() < 800, "{error}"),
        }
    }
    assert!((rounds / 40..rounds * 3 / 4).contains(&good), "{good} of {rounds} changed files could be read");
}

#[test]
fn no_changed_file_makes_the_reader_panic() {
    read_damaged(1_000, 5);
    let mut random = SplitMix64(6);
    let noise: Vec<u8> = (0..100_000).map(|_| random.next_u64() as u8).collect();
    fault(&noise);
}

#[test]
#[ignore = "takes a minute"]
fn none_of_ten_thousand_changed_files_makes_the_reader_panic() {
    read_damaged(10_000, 7);
}

fn read_all(bytes: &[u8]) -> Result<i32, Leb128Fault> {
    let mut rest = bytes.iter().copied();
    read_leb128(7, || rest.next())
}

#[test]
fn every_16_bit_number_comes_back() {
    for value in i16::MIN..=i16::MAX {
        let mut bytes = Vec::new();
        write_leb128(value, &mut bytes);
        assert_eq!(read_all(&bytes), Ok(i32::from(value)));
        assert_eq!(
            bytes.len(),
            if (-64..64).contains(&value) {
                1
            } else if (-8192..8192).contains(&value) {
                2
            } else {
                3
            }
        );
    }
}

#[test]
fn examples_of_the_definition_are_read_and_malformed_ones_are_named() {
    assert_eq!(read_all(&[0x02]), Ok(2));
    assert_eq!(read_all(&[0x7E]), Ok(-2));
    assert_eq!(read_all(&[0xFF, 0x00]), Ok(127));
    assert_eq!(read_all(&[0x81, 0x7F]), Ok(-127));
    // A number may take more bytes than it needs.
    assert_eq!(read_all(&[0x80, 0x80, 0x00]), Ok(0));
    assert_eq!(read_all(&[0xFF, 0xFF, 0x3F]), Ok((1 << 20) - 1));
    assert_eq!(read_all(&[]), Err(Leb128Fault::Short(7)));
    assert_eq!(read_all(&[0x80, 0x80]), Err(Leb128Fault::Short(7)));
    assert_eq!(read_all(&[0x80, 0x80, 0x80, 0x00]), Err(Leb128Fault::Overlong(7)));
}
