//! One frame: `<PRI>1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA MSG` (RFC 5424 section 6).

use nervix_columns::text::{DateTimeText, read_datetime};

use super::fields::Record;
use super::structured_data;
use crate::fault::RecordFault;

/// The greatest facility and severity.
const FACILITY_MAX: u8 = 23;
const SEVERITY_MAX: u8 = 7;

/// The texts of a header with the most bytes of each.
const HOSTNAME: (&str, usize) = ("hostname", 255);
const APP_NAME: (&str, usize) = ("app_name", 48);
const PROC_ID: (&str, usize) = ("proc_id", 128);
const MSG_ID: (&str, usize) = ("msg_id", 32);

/// What stands for nothing.
const NIL: &str = "-";

impl<'a> Record<'a> {
    /// Why it has no frame.
    pub(super) fn fault(&self) -> Option<RecordFault> {
        let fault = |field: &str, cause: String| Some(RecordFault::validation(vec![field.to_owned()], cause));
        if self.facility > FACILITY_MAX {
            return fault("facility", format!("field 'facility' is above {FACILITY_MAX}"));
        }
        if self.severity > SEVERITY_MAX {
            return fault("severity", format!("field 'severity' is above {SEVERITY_MAX}"));
        }
        for ((name, most), text) in self.header_texts() {
            let is_fit = |text: &str| {
                (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
            };
            if text.is_some_and(|text| !is_fit(text)) {
                let cause =
                    format!("field '{name}' is not 1 to {most} printable ASCII characters without blanks");
                return fault(name, cause);
            }
        }
        let data = self.structured_data;
        if data.is_some_and(|data| structured_data::length(data) != Some(data.len())) {
            let cause = "field 'structured_data' is no structured data of RFC 5424".to_owned();
            return fault("structured_data", cause);
        }
        None
    }

    fn header_texts(&self) -> [((&'static str, usize), Option<&'a str>); 4] {
        [
            (HOSTNAME, self.hostname),
            (APP_NAME, self.app_name),
            (PROC_ID, self.proc_id),
            (MSG_ID, self.msg_id),
        ]
    }

    /// Whether two records have one header, the timestamp aside.
    pub(super) fn shares_header(&self, other: &Record<'_>) -> bool {
        (self.facility, self.severity) == (other.facility, other.severity)
            && self.header_texts().map(|(_, text)| text) == other.header_texts().map(|(_, text)| text)
    }

    /// The frame up to and with the blank before STRUCTURED-DATA.
    pub(super) fn header(&self) -> String {
        let priority = u16::from(self.facility) * 8 + u16::from(self.severity);
        let mut header = format!("<{priority}>1 ");
        match self.timestamp {
            Some(nanos) => header.push_str(DateTimeText::of(nanos - nanos.rem_euclid(1_000)).as_str()),
            None => header.push_str(NIL),
        }
        for (_, text) in self.header_texts() {
            header.push(' ');
            header.push_str(text.unwrap_or(NIL));
        }
        header.push(' ');
        header
    }

    /// The whole frame; without MSG when the message is empty.
    pub(super) fn frame(&self) -> String {
        let mut frame = self.header();
        frame.push_str(self.structured_data.unwrap_or(NIL));
        if !self.message.is_empty() {
            frame.push(' ');
            frame.push_str(self.message);
        }
        frame
    }

    /// Reads a frame; none when it is none.
    pub(super) fn read(frame: &'a str) -> Option<Record<'a>> {
        let (priority, rest) = frame.strip_prefix('<')?.split_once('>')?;
        let is_number =
            (1..=3).contains(&priority.len()) && priority.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || (priority.len() > 1 && priority.starts_with('0')) {
            return None;
        }
        let priority: u16 = priority.parse().ok()?;
        let facility = u8::try_from(priority / 8)
            .ok()
            .filter(|facility| *facility <= FACILITY_MAX)?;
        let mut parts = rest.strip_prefix("1 ")?.splitn(6, ' ');
        let timestamp = match parts.next()? {
            NIL => None,
            text => Some(read_datetime(text).ok()?),
        };
        let mut text = |(_, most): (&str, usize)| {
            let text = parts.next()?;
            let is_fit = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
            is_fit.then_some(Some(text).filter(|text| *text != NIL))
        };
        let (hostname, app_name, proc_id, msg_id) =
            (text(HOSTNAME)?, text(APP_NAME)?, text(PROC_ID)?, text(MSG_ID)?);
        let rest = parts.next()?;
        let (data, rest) = rest.split_at_checked(structured_data::length(rest)?)?;
        let message = match rest.strip_prefix(' ') {
            Some(message) => message.strip_prefix('\u{feff}').unwrap_or(message),
            None if rest.is_empty() => "",
            None => return None,
        };
        Some(Record {
            facility,
            severity: u8::try_from(priority % 8).ok()?,
            timestamp,
            hostname,
            app_name,
            proc_id,
            msg_id,
            structured_data: Some(data).filter(|data| *data != NIL),
            message,
        })
    }
}
