//! Random nets as bytes, put together from the description of the file formats alone.

use komainu::random::SplitMix64;

/// What kind of net, in the words of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// As the text of a file names the inputs.
    pub(crate) features: &'static str,
    pub(crate) width: usize,
    /// Values that the first and the second layer hand on.
    pub(crate) hidden: [usize; 2],
    /// The words of a net with products of halves behind its layers; `None` for a classic net.
    pub(crate) words: Option<&'static str>,
}

const fn classic(features: &'static str, width: usize, hidden: [usize; 2]) -> Kind {
    Kind { features, width, hidden, words: None }
}

const fn sfnn(features: &'static str, width: usize, hidden: [usize; 2], words: &'static str) -> Kind {
    Kind { features, width, hidden, words: Some(words) }
}

impl Kind {
    /// K-P 256x2-32-32.
    pub(crate) const KP: Kind = classic("K+P", 256, [32, 32]);
    /// SFNN ka2 512-15-32.
    pub(crate) const KA2: Kind = sfnn("K+A2", 512, [15, 32], "");

    /// Every set of inputs, every form of layers, every way to choose a stack.
    pub(crate) const ALL: [Kind; 22] = [
        Kind::KP,
        Kind::KA2,
        sfnn("K+A2", 512, [15, 32], "_K3K3"),
        classic("HalfKP(Friend)", 256, [32, 32]),
        classic("HalfKPE9(Friend)", 32, [32, 32]),
        classic("HalfKP_vm(Friend)", 64, [16, 32]),
        classic("HalfKA1(Friend)", 64, [8, 32]),
        classic("HalfKA2(Friend)", 32, [8, 96]),
        classic("HalfKA_hm1(Friend)", 96, [8, 64]),
        classic("HalfKA_hm2(Friend)", 64, [64, 64]),
        classic("K+A2", 768, [16, 64]),
        sfnn("HalfKA2(Friend)", 64, [7, 64], "_K3K3"),
        sfnn("HalfKA_hm2(Friend)", 128, [15, 32], "_K3K3"),
        sfnn("HalfKP(Friend)", 96, [8, 32], ""),
        sfnn("K+P", 1_024, [16, 32], "_K9K9Z"),
        sfnn("K+A2", 1_536, [31, 32], "_HAND64Z"),
        sfnn("K+A2", 64, [7, 32], "_K13K13Z_PROGRESS4"),
        sfnn("K+P", 32, [7, 32], "_HAND4_K9K9"),
        sfnn("K+P", 32, [7, 64], "_HAND16_K21K21"),
        sfnn("K+P", 32, [8, 32], "_HAND256_K3K3_PROGRESS3"),
        sfnn("K+P", 32, [7, 32], "_HAND1024"),
        sfnn("K+A2", 1_024, [7, 64], "_C512_S64X8_K29K29"),
    ];

    /// Whether the halves of the accumulators are multiplied.
    pub(crate) fn is_pairwise(self) -> bool {
        self.words.is_some()
    }

    /// Whether the last output of the first layer goes to the result.
    pub(crate) fn has_shortcut(self) -> bool {
        self.is_pairwise() && self.hidden[0] % 8 == 7
    }

    /// The words behind the layers.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        self.words.unwrap_or_default().split('_').filter(|word| !word.is_empty())
    }

    /// The steps of the progress by which a stack is chosen.
    pub(crate) fn progress(self) -> Option<usize> {
        self.words().find_map(|word| word.strip_prefix("PROGRESS")).map(|steps| steps.parse().unwrap())
    }

    /// How often the dense layers are there.
    pub(crate) fn stacks(self) -> usize {
        let factor = |word: &str| match word {
            "K3K3" => 9,
            "K9K9" | "K9K9Z" => 81,
            "K13K13Z" => 169,
            "K21K21" => 441,
            "K29K29" => 841,
            "HAND4" => 4,
            "HAND16" => 16,
            "HAND64" | "HAND64Z" => 64,
            "HAND256" => 256,
            "HAND1024" => 1_024,
            _ => word.strip_prefix("PROGRESS").map_or(1, |steps| steps.parse().unwrap()),
        };
        self.words().map(factor).product()
    }

    /// Inputs per side, and the hash of the set in a classic file.
    fn set(self) -> (usize, u32) {
        match self.features {
            "HalfKP(Friend)" => (125_388, 0x5D69_D5B8),
            "HalfKPE9(Friend)" => (1_128_492, 0x5D69_D5B8),
            "HalfKP_vm(Friend)" => (69_660, 0x0B6B_1D9A),
            "HalfKA1(Friend)" => (138_510, 0x5F13_4CB8),
            "HalfKA2(Friend)" => (131_949, 0x5F23_4CB8),
            "HalfKA_hm1(Friend)" => (76_950, 0x7F13_4CB8),
            "HalfKA_hm2(Friend)" => (73_305, 0x7F23_4CB8),
            "K+P" => (1_710, 0x3F57_17FF),
            "K+A2" => (1_791, 0x97D5_765E),
            other => panic!("{other}"),
        }
    }

    /// Inputs per side.
    pub(crate) fn inputs(self) -> usize {
        self.set().0
    }

    /// Inputs and outputs of the dense layers as they are stored.
    pub(crate) fn layers(self) -> [(usize, usize); 3] {
        let [first, second] = self.hidden;
        let fill = |count: usize| count.div_ceil(32) * 32;
        if self.is_pairwise() {
            let outputs = first + usize::from(self.has_shortcut());
            return [(self.width, outputs), (fill(2 * first), second), (fill(second), 1)];
        }
        [(2 * self.width, first), (fill(first), second), (fill(second), 1)]
    }

    fn text(self) -> String {
        let Kind { features, width, hidden: [first, second], words } = self;
        let inputs = self.inputs();
        let Some(words) = words else {
            return format!(
                "Features={features}[{inputs}->{width}x2],Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
                 (AffineTransform[{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-{0}](InputSlice\
                 [{0}(0:{0})])))))",
                2 * width
            );
        };
        let name = features.replace("(Friend)", "").replace(['_', '+'], "").to_uppercase();
        let stacks = self.stacks();
        format!(
            "ModelType=SFNNWithoutPsqt;Features={features}[{inputs}->{width}x2],\
             Network=SFNN_{name}_{width}_{first}_{second}{words}{{LayerStack={stacks}}}"
        )
    }

    /// Hashes of the file, of the first part and of the layers.
    fn hashes(self) -> [u32; 3] {
        if self.is_pairwise() {
            let file = 0x3C20_3B32 ^ if self.progress().is_some() { 0x6F50_524F } else { 0 };
            return [file, 0x5F13_4AB8, 0x6333_718A];
        }
        let affine = |hash: u32, outputs: usize| (0xCC03_DAE4_u32 + outputs as u32) ^ (hash >> 1) ^ (hash << 31);
        let relu = |hash: u32| hash.wrapping_add(0x538D_24C7);
        let input = 0xEC42_E90D ^ (2 * self.width as u32);
        let layers = affine(relu(affine(relu(affine(input, self.hidden[0])), self.hidden[1])), 1);
        let transformer = self.set().1 ^ (2 * self.width as u32);
        [transformer ^ layers, transformer, layers]
    }
}

/// A net whose numbers are like those of nets that play, or as large as can be.
pub(crate) fn random_net(kind: Kind, extreme: bool, seed: u64) -> Vec<u8> {
    let mut random = SplitMix64(seed);
    let [file_hash, first_hash, layers_hash] = kind.hashes();
    let text = kind.text();
    let mut bytes = Vec::new();
    for word in [0x7AF3_2F16, file_hash, text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text.bytes());
    bytes.extend(first_hash.to_le_bytes());
    for count in [kind.width, kind.width * kind.inputs()] {
        let value = |random: &mut SplitMix64| match (kind.is_pairwise(), extreme) {
            (_, false) => random.around_zero(40) as i32,
            (true, true) => random.within(-16_384, 16_383) as i32,
            (false, true) => random.within(-32_768, 32_767) as i32,
        };
        if kind.is_pairwise() {
            let mut block = Vec::new();
            for _ in 0..count {
                leb128(value(&mut random), &mut block);
            }
            bytes.extend(b"COMPRESSED_LEB128");
            bytes.extend((block.len() as u32).to_le_bytes());
            bytes.extend(block);
        } else {
            bytes.extend((0..count).flat_map(|_| (value(&mut random) as i16).to_le_bytes()));
        }
    }
    if kind.progress().is_some() {
        bytes.extend(0x6F50_524F_u32.to_le_bytes());
        let most = if extreme { i64::from(i32::MAX) } else { 12_000 };
        bytes.extend((0..1 + 81 * 1_548).flat_map(|_| (random.within(-most, most) as i32).to_le_bytes()));
    }
    for _ in 0..kind.stacks() {
        bytes.extend(layers_hash.to_le_bytes());
        for layer in kind.layers() {
            dense(layer, extreme, &mut random, &mut bytes);
        }
    }
    bytes
}

/// A dense layer.
fn dense((inputs, outputs): (usize, usize), extreme: bool, random: &mut SplitMix64, bytes: &mut Vec<u8>) {
    for _ in 0..outputs {
        // Half of the extreme ones drown whatever the inputs say, the others leave them a voice.
        let bias = match (extreme, random.below(2)) {
            (true, 0) => random.next_u64() as i32,
            (true, _) => random.around_zero(200_000) as i32,
            (false, _) => random.around_zero(6_000) as i32,
        };
        bytes.extend(bias.to_le_bytes());
    }
    for _ in 0..inputs * outputs {
        let weight = if extreme { *random.pick(&[-128, 127, -1, 0]) } else { random.around_zero(50) };
        bytes.push(weight as i8 as u8);
    }
}

/// Signed LEB128, as many bytes as it takes.
fn leb128(value: i32, out: &mut Vec<u8>) {
    let mut length = 1;
    while !(-(1 << (7 * length - 1))..1 << (7 * length - 1)).contains(&value) {
        length += 1;
    }
    for i in 0..length {
        let more = if i + 1 < length { 0x80 } else { 0 };
        out.push(((value >> (7 * i)) & 0x7F) as u8 | more);
    }
}

/// Positions that random games do not reach: handicaps, problems with one king, full hands, many promoted pieces.
pub(crate) const SPECIAL: [&str; 12] = [
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    "9/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1",
    "8k/7P1/7KP/9/9/9/9/9/9 b 2G2r2b2g4s4n4l16p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "+P+P+P+P+P+P+P+P+P/+L+N+S+B+R+S+N+L1/4K4/9/9/9/4k4/1+l+n+s+b+r+s+n+l/+p+p+p+p+p+p+p+p+p b 4G 1",
    "K8/9/9/9/9/9/9/9/8k b 2R2B4G4S4N4L18P 300",
];
