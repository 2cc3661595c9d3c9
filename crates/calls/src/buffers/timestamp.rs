//! A timestamp in the driver's binary format.

use tacho_core::Result;
use tacho_driver::text::Moment;

use super::protocol;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Timestamp {
    year: i16,
    month: u16,
    day: u16,
    hour: u16,
    minute: u16,
    second: u16,
    fraction: u32,
}

impl Timestamp {
    pub fn of(micros: i64) -> Result<Self> {
        let Moment { year, month, day, clock: [hour, minute, second], micros } =
            Moment::of(micros)?;
        Ok(Self {
            year: year as i16,
            month: month.into(),
            day: day.into(),
            hour: hour.into(),
            minute: minute.into(),
            second: second.into(),
            fraction: micros * 1_000,
        })
    }

    /// Appends the timestamp as it is laid out in memory.
    pub fn write(self, out: &mut Vec<u8>) {
        let Self { year, month, day, hour, minute, second, fraction } = self;
        out.extend_from_slice(&year.to_ne_bytes());
        out.extend([month, day, hour, minute, second].into_iter().flat_map(u16::to_ne_bytes));
        out.extend_from_slice(&fraction.to_ne_bytes());
    }

    /// Returns the microseconds since 1970.
    pub fn micros(self) -> Result<i64> {
        let impossible = || protocol(format!("the result contains the invalid time {self:?}"));
        let moment = Moment {
            year: u16::try_from(self.year).map_err(|_| impossible())?,
            month: self.month.min(255) as u8,
            day: self.day.min(255) as u8,
            clock: [self.hour as u8, self.minute as u8, self.second as u8],
            micros: self.fraction / 1_000,
        };
        moment.to_micros().ok_or_else(impossible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip() -> Result<()> {
        for micros in [0, -1, 951_782_400_000_001, 253_402_300_799_999_999, -30_610_224_000_000_000]
        {
            assert_eq!(Timestamp::of(micros)?.micros()?, micros);
        }
        assert!(Timestamp::of(i64::MAX).is_err());
        let before_christ = Timestamp { year: -43, month: 3, day: 15, ..Timestamp::default() };
        assert!(before_christ.micros().is_err());
        Ok(())
    }
}
