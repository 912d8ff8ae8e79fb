//! Random nets as bytes, put together from the description of the file formats alone.

use komainu::random::SplitMix64;

/// What kind of net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    HalfKp,
    Kp,
    Ka2,
    Ka2K3k3,
    Ka2Zones,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] = [Kind::HalfKp, Kind::Kp, Kind::Ka2, Kind::Ka2K3k3, Kind::Ka2Zones];

    /// Whether the halves of the accumulators are multiplied.
    pub(crate) fn is_pairwise(self) -> bool {
        matches!(self, Kind::Ka2 | Kind::Ka2K3k3 | Kind::Ka2Zones)
    }

    /// How often the dense layers are there.
    pub(crate) fn stacks(self) -> usize {
        if self == Kind::Ka2K3k3 { 9 } else { 1 }
    }

    /// Inputs per side, width of the accumulator.
    pub(crate) fn first_part(self) -> (usize, usize) {
        match self {
            Kind::HalfKp => (125_388, 256),
            Kind::Kp => (1_710, 256),
            Kind::Ka2 | Kind::Ka2K3k3 => (1_791, 512),
            Kind::Ka2Zones => (6 * 1_791, 512),
        }
    }

    /// Inputs and outputs of the dense layers as they are stored.
    pub(crate) fn layers(self) -> [(usize, usize); 3] {
        if self.is_pairwise() { [(512, 16), (32, 32), (32, 1)] } else { [(512, 32), (32, 32), (32, 1)] }
    }

    fn text(self) -> String {
        let layers = "AffineTransform[1<-32](ClippedReLU[32](AffineTransform[32<-32](ClippedReLU[32](AffineTransform\
                      [32<-512](InputSlice[512(0:512)])))))";
        match self {
            Kind::HalfKp => format!("Features=HalfKP(Friend)[125388->256x2],Network={layers}"),
            Kind::Kp => format!("Features=K+P[1710->256x2],Network={layers}"),
            Kind::Ka2 => {
                "ModelType=SFNNWithoutPsqt;Features=K+A2[1791->512x2],Network=SFNN_KA2_512_15_32{LayerStack=1}".into()
            }
            Kind::Ka2K3k3 => {
                "ModelType=SFNNWithoutPsqt;Features=K+A2[1791->512x2],Network=SFNN_KA2_512_15_32_K3K3{LayerStack=9}"
                    .into()
            }
            Kind::Ka2Zones => "ModelType=SFNNWithoutPsqt;Features=KomainuZones6(K+A2)[10746->512x2],\
                               Network=SFNN_KA2_512_15_32{LayerStack=1}"
                .into(),
        }
    }

    /// Hashes of the file, of the first part and of the layers.
    fn hashes(self) -> [u32; 3] {
        match self {
            Kind::HalfKp => [0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156],
            Kind::Kp => [0x5C64_64A9, 0x3F57_15FF, 0x6333_7156],
            Kind::Ka2 | Kind::Ka2K3k3 => [0x3C20_3B32, 0x5F13_4AB8, 0x6333_718A],
            Kind::Ka2Zones => [0x3C20_12C8, 0x5F13_6342, 0x6333_718A],
        }
    }
}

/// A net whose numbers are like those of nets that play, or as large as can be.
pub(crate) fn random_net(kind: Kind, extreme: bool, seed: u64) -> Vec<u8> {
    let mut random = SplitMix64(seed);
    let (inputs, width) = kind.first_part();
    let [file_hash, first_hash, layers_hash] = kind.hashes();
    let text = kind.text();
    let mut bytes = Vec::new();
    for word in [0x7AF3_2F16, file_hash, text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text.bytes());
    bytes.extend(first_hash.to_le_bytes());
    for count in [width, width * inputs] {
        let value = |random: &mut SplitMix64| match (kind, extreme) {
            (_, false) => random.around_zero(40) as i32,
            (kind, true) if kind.is_pairwise() => random.within(-16_384, 16_383) as i32,
            (_, true) => random.within(-32_768, 32_767) as i32,
        };
        if kind.is_pairwise() {
            let mut block = Vec::new();
            (0..count).for_each(|_| leb128(value(&mut random), &mut block));
            bytes.extend(b"COMPRESSED_LEB128");
            bytes.extend((block.len() as u32).to_le_bytes());
            bytes.extend(block);
        } else {
            bytes.extend((0..count).flat_map(|_| (value(&mut random) as i16).to_le_bytes()));
        }
    }
    for number in 0..kind.stacks() * 3 {
        if number % 3 == 0 {
            bytes.extend(layers_hash.to_le_bytes());
        }
        let (inputs, outputs) = kind.layers()[number % 3];
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
    bytes
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
