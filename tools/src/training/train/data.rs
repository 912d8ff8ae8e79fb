//! The training set, and what is held out to measure what was learnt.

use super::sample::TrainingSample;
use super::teacher::{Teacher, label_all};
use crate::training::DataError;
use crate::training::games::GamesReader;
use crate::training::records::{RECORD_BYTES, Record, Records, visit_records};
use crate::training::selfplay::OpeningPositions;
use crate::training::shuffle::DataKind;
use crate::training::win_rate::{cross_entropy, fit_scale};
use komainu::host::open_file;
use komainu::position::Position;
use komainu::system::free_megabytes;
use komainu::types::Color;
use std::convert::Infallible;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The positions of a run, all of them in memory.
#[derive(Debug)]
pub struct TrainingData {
    pub training_set: Vec<TrainingSample>,
    /// Positions that are held out: all of some games.
    pub held_out: Vec<TrainingSample>,
    pub games: u64,
    /// The files that the positions come from, in their order.
    pub sources: Vec<SampleFile>,
    /// Positions that are left out because their score is too large, or because a teacher has no opinion of a check.
    pub left_out: u64,
}

/// The positions of a file, which follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleFile {
    /// Where they are in the training set.
    pub training_set: Range<usize>,
    /// Where they are among those held out.
    pub held_out: Range<usize>,
}

impl TrainingData {
    /// Positions as if out of one file.
    pub fn new(training_set: Vec<TrainingSample>, held_out: Vec<TrainingSample>, games: u64) -> TrainingData {
        let sources = vec![SampleFile { training_set: 0..training_set.len(), held_out: 0..held_out.len() }];
        TrainingData { training_set, held_out, games, sources, left_out: 0 }
    }

    /// Reads files of records. One game in `share` is held out as a whole: positions of one game resemble each other,
    /// so a net that has seen some of them would seem to know the others.
    ///
    /// The records of a game must therefore follow each other, as they do in the files of `komainu data convert` and
    /// `komainu data filter`. Everything that is random later depends on the order of the files, too. Positions with a
    /// score of more than `max_score` centipawns for either side are left out.
    pub fn read(paths: &[PathBuf], share: u64, max_score: u16) -> Result<TrainingData, DataError> {
        let mut data = TrainingData::with_room(paths, count)?;
        for path in paths {
            let mut games = Boundaries::default();
            let first = data.training_set.len();
            let first_held_out = data.held_out.len();
            for read in Records::open(path)? {
                let (record, pos) = read?;
                data.games += u64::from(games.begins_with(&record, &pos));
                if record.score.unsigned_abs() > max_score {
                    data.left_out += 1;
                    continue;
                }
                data.add(TrainingSample::new(&record, &pos), share);
            }
            data.end_file(first, first_held_out);
        }
        data.checked()
    }

    /// Reads positions for a teacher, whatever scores they have: files of records, of games, and of openings, of which
    /// the last positions count. Positions in check are left out, and one game in `share` is held out.
    pub fn read_positions(paths: &[PathBuf], share: u64) -> Result<TrainingData, DataError> {
        let mut data = TrainingData::with_room(paths, most_positions)?;
        for path in paths {
            let first = data.training_set.len();
            let first_held_out = data.held_out.len();
            match PositionKind::of(path)? {
                PositionKind::Games => {
                    for game in GamesReader::open(path)? {
                        data.games += 1;
                        let Ok(()) = visit_records(&game?, |_, pos, _| {
                            data.add_position(pos, share);
                            Ok::<(), Infallible>(())
                        });
                    }
                }
                PositionKind::Records => {
                    let mut games = Boundaries::default();
                    for read in Records::open(path)? {
                        let (record, pos) = read?;
                        data.games += u64::from(games.begins_with(&record, &pos));
                        data.add_position(&pos, share);
                    }
                }
                PositionKind::Openings => {
                    for pos in OpeningPositions::open(path, false)?.positions() {
                        data.games += 1;
                        data.add_position(pos, share);
                    }
                }
            }
            data.end_file(first, first_held_out);
        }
        data.checked()
    }

    /// No positions yet, but memory for all that the files may hold.
    fn with_room(
        paths: &[PathBuf],
        count: impl Fn(&Path) -> Result<usize, DataError>,
    ) -> Result<TrainingData, DataError> {
        let mut data = TrainingData { sources: Vec::new(), ..TrainingData::new(Vec::new(), Vec::new(), 0) };
        let mut positions = 0;
        for path in paths {
            positions += count(path)?;
        }
        if megabytes(positions) > free_megabytes() || data.training_set.try_reserve_exact(positions).is_err() {
            let megabytes = megabytes(positions);
            return DataError::refused(format_args!("{positions} positions need {megabytes} MB, more than are free"));
        }
        Ok(data)
    }

    /// Adds a position of the last game.
    fn add(&mut self, sample: TrainingSample, share: u64) {
        if self.games.is_multiple_of(share.max(2)) {
            self.held_out.push(sample);
        } else {
            self.training_set.push(sample);
        }
    }

    /// Adds a position of the last game for a teacher to label.
    fn add_position(&mut self, pos: &Position, share: u64) {
        if pos.in_check() {
            self.left_out += 1;
        } else {
            self.add(TrainingSample::labelled(pos, 0), share);
        }
    }

    /// Notes that all positions since these belong to one file.
    fn end_file(&mut self, first: usize, first_held_out: usize) {
        self.sources.push(SampleFile {
            training_set: first..self.training_set.len(),
            held_out: first_held_out..self.held_out.len(),
        });
    }

    /// The data, if there is something to learn from and something to measure by.
    fn checked(self) -> Result<TrainingData, DataError> {
        if self.training_set.is_empty() || self.held_out.is_empty() {
            return DataError::refused(format_args!(
                "{} games give {} positions to learn from and {} to hold out: too few",
                self.games,
                self.training_set.len(),
                self.held_out.len()
            ));
        }
        Ok(self)
    }

    /// Varies the positions that are held out and labels them, once for the whole run.
    pub fn label_held_out(&mut self, teacher: &Teacher) {
        let positions: Vec<(&TrainingSample, bool, u64)> =
            self.held_out.iter().zip(0..).map(|(sample, number)| (sample, false, u64::MAX - number)).collect();
        self.held_out = label_all(teacher, &mut Vec::new(), &positions);
    }

    /// Finds the number of centipawns at which a side expects to win with `1 / (1 + 1/e)`: the scale on which the
    /// scores tell the results best. From at most a million positions.
    pub fn fit_scale(&self) -> f32 {
        const MOST: usize = 1_000_000;
        let step = self.training_set.len().div_ceil(MOST);
        fit_scale(|scale| {
            let samples = self.training_set.iter().step_by(step);
            samples.map(|sample| cross_entropy(sample.score(), sample.result(), scale)).sum()
        })
    }

    /// A checksum of all positions, in their order.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for sample in self.training_set.iter().chain(&self.held_out) {
            hasher.update(&sample.bytes());
        }
        hasher.finalize()
    }
}

/// Megabytes that a number of positions takes.
fn megabytes(positions: usize) -> usize {
    positions.saturating_mul(size_of::<TrainingSample>()) >> 20
}

/// The records of a file that has none that is damaged.
fn count(path: &Path) -> Result<usize, DataError> {
    let fail = DataError::in_file(path);
    if DataKind::of(path).map_err(&fail)? == DataKind::Games {
        let path = path.display();
        return DataError::refused(format_args!("{path}: a file of games; `komainu data filter` makes records of it"));
    }
    Ok(fs::metadata(path).map_err(fail)?.len() as usize / RECORD_BYTES)
}

/// Kinds of files with positions for a teacher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PositionKind {
    Games,
    Records,
    /// Text, a line for each.
    Openings,
}

impl PositionKind {
    /// The kind of a file by what it begins with: text has no byte of zero, each record has one.
    fn of(path: &Path) -> Result<PositionKind, DataError> {
        let fail = DataError::in_file(path);
        if DataKind::of(path).map_err(&fail)? == DataKind::Games {
            return Ok(PositionKind::Games);
        }
        let mut bytes = Vec::new();
        open_file(path).map_err(&fail)?.take(4_096).read_to_end(&mut bytes).map_err(&fail)?;
        if bytes.contains(&0) { Ok(PositionKind::Records) } else { Ok(PositionKind::Openings) }
    }
}

/// The most positions that a file may hold.
fn most_positions(path: &Path) -> Result<usize, DataError> {
    let bytes = fs::metadata(path).map_err(DataError::in_file(path))?.len() as usize;
    Ok(match PositionKind::of(path)? {
        PositionKind::Games => bytes / PLY_BYTES,
        PositionKind::Records => bytes / RECORD_BYTES,
        PositionKind::Openings => bytes / SHORTEST_LINE,
    })
}

/// Bytes of a ply in a file of games.
const PLY_BYTES: usize = 4;
/// Bytes of the shortest opening.
const SHORTEST_LINE: usize = 4;

/// Tells where a game begins in a file of records.
#[derive(Default)]
struct Boundaries {
    /// Move counter and winner of the last record.
    last: Option<(u16, Option<Color>)>,
}

impl Boundaries {
    /// Tests whether a record is the first of a game: the move counter falls back, or somebody else has won.
    fn begins_with(&mut self, record: &Record, pos: &Position) -> bool {
        let winner = record.winner(pos.side());
        let before = self.last.replace((record.ply, winner));
        before.is_none_or(|(ply, before)| record.ply < ply || before != winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::training::train::samples::random_records;
    use tempfile::NamedTempFile;

    fn file(bytes: &[u8]) -> NamedTempFile {
        let file = NamedTempFile::new().expect("a file can be made");
        fs::write(&file, bytes).expect("a file can be written");
        file
    }

    /// Games of which black wins all: only the counter tells them apart.
    fn black_wins(seed: u64, count: usize) -> Vec<(Record, Position)> {
        let mut records = random_records(seed, count);
        for (record, pos) in &mut records {
            record.result = if pos.side() == Color::Black { 1 } else { -1 };
        }
        records
    }

    #[test]
    fn another_winner_begins_a_game() {
        let mut records = black_wins(8, 60);
        let games = |records: &[(Record, Position)]| {
            let mut games = Boundaries::default();
            records.iter().filter(|(record, pos)| games.begins_with(record, pos)).count()
        };
        assert_eq!(games(&records), 1);
        for (record, _) in &mut records[20..40] {
            record.result = 0;
        }
        assert_eq!(games(&records), 3);
    }

    #[test]
    fn games_are_held_out_as_a_whole_and_files_begin_games() {
        // Random games of 100 plies.
        let records = black_wins(8, 1_000);
        let bytes: Vec<u8> = records.iter().flat_map(|(record, _)| record.encode()).collect();
        let file = file(&bytes);
        let twice = [(); 2].map(|()| file.path().to_path_buf());
        let data = TrainingData::read(&twice, 4, u16::MAX).expect("good files");
        let far = records.iter().filter(|(record, _)| record.score.abs() > 300).count() as u64;
        let near = TrainingData::read(&twice, 4, 300).expect("good files");
        assert!(far > 0 && near.left_out == 2 * far && near.games == data.games);
        assert_eq!((near.training_set.len() + near.held_out.len()) as u64, 2_000 - 2 * far);
        assert!(near.training_set.iter().chain(&near.held_out).all(|sample| sample.score().abs() <= 300.0));
        let [first, second] = &near.sources[..] else { panic!("two files") };
        assert_eq!((first.training_set.end, first.held_out.end), (second.training_set.start, second.held_out.start));
        assert_eq!((second.training_set.end, second.held_out.end), (near.training_set.len(), near.held_out.len()));
        let games = 2 * records.windows(2).filter(|pair| pair[1].0.ply < pair[0].0.ply).count() as u64 + 2;
        assert_eq!((data.games, data.training_set.len() + data.held_out.len()), (games, 2_000));
        assert!((games / 4 * 40..=games / 4 * 100).contains(&(data.held_out.len() as u64)), "{}", data.held_out.len());
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_place() {
        let bytes: Vec<u8> = black_wins(9, 50).iter().flat_map(|(record, _)| record.encode()).collect();
        let message = |bytes: &[u8]| {
            let file = file(bytes);
            let path = file.path().to_path_buf();
            let error = TrainingData::read(&[path], 20, u16::MAX).expect_err("a bad file");
            error.to_string().replace(&file.path().display().to_string(), "FILE")
        };
        assert_eq!(message(&bytes[..399]), "FILE: byte 360: the last record has 39 bytes, not 40");
        let mut wrong = bytes.clone();
        wrong[2 * RECORD_BYTES + 38] = 7;
        assert_eq!(message(&wrong), "FILE: byte 80: there is no result 7");
        assert_eq!(message(&bytes), "1 games give 50 positions to learn from and 0 to hold out: too few");
        assert!(message(&crate::training::games::MAGIC).starts_with("FILE: a file of games;"));
    }

    #[test]
    fn the_scale_is_the_one_that_made_the_results() {
        let (mut record, pos) = random_records(1, 1)[0].clone();
        let mut random = Random::new(6, 0);
        let mut training_set = Vec::new();
        for _ in 0..20_000 {
            record.score = random.below(2_001) as i16 - 1_000;
            let expected = 1.0 / (1.0 + (-f32::from(record.score) / 300.0).exp());
            record.result = if (random.below(1_000_000) as f32) < 1e6 * expected { 1 } else { -1 };
            training_set.push(TrainingSample::new(&record, &pos));
        }
        let scale = TrainingData::new(training_set, Vec::new(), 1).fit_scale();
        assert!((280.0..320.0).contains(&scale), "{scale}");
    }
}
