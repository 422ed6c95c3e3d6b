//! Why a server could not be read, told by kind. What the driver writes is never repeated: it can
//! hold names of hosts and users.

use std::io::ErrorKind;
use std::time::Duration;

use sqlx::mysql::MySqlDatabaseError;

use crate::model::evidence::{InputKind, Reason, Why};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// No answer in time.
    Silent(Duration),
    /// The statement ran longer than allowed, and the server stopped it.
    Slow,
    /// Nothing listens there.
    Refused,
    /// A socket or certificate file of the URL is not there or not open to this user.
    File,
    /// The host cannot be found or reached.
    Unreachable,
    /// The connection ended in the middle.
    CutOff,
    /// No encrypted connection as the URL asks for it.
    Tls,
    /// What answers does not speak the engine's protocol.
    Protocol,
    /// User or password is not accepted.
    Login,
    /// The server has no such database, or this user may not enter it.
    Database,
    /// A right is missing.
    Right,
    /// The server takes no connection now.
    Busy,
    /// A lock was waited for in vain.
    Locked,
    /// Anything else, with the engine's own code.
    Other(String),
}

impl Failure {
    /// From what the driver answers.
    pub(super) fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Io(error) => of_io(error.kind()),
            sqlx::Error::Tls(_) => Failure::Tls,
            sqlx::Error::Protocol(_) | sqlx::Error::Configuration(_) => Failure::Protocol,
            sqlx::Error::Database(error) => match error.try_downcast_ref::<MySqlDatabaseError>() {
                Some(error) => of_mysql(error.number()),
                None => of_sqlstate(error.code().as_deref().unwrap_or("")),
            },
            _ => Failure::Protocol,
        }
    }

    /// Says it of a connection; `what` is what is not known now.
    pub(super) fn reason(&self, label: &str, what: &str) -> Reason {
        let (sentence, next_step) = self.words(label);
        Reason {
            why: Why::NotReadable,
            needs: Some(InputKind::Database),
            sentence: format!("{sentence}; {what}"),
            place: None,
            next_step,
        }
    }

    fn words(&self, label: &str) -> (String, String) {
        let (sentence, next) = match self {
            Failure::Silent(time) => {
                return (
                    format!("{label} gave no answer within {} s", time.as_secs()),
                    "see whether the server is up and reachable from here, or raise limits.timeout_seconds"
                        .to_owned(),
                );
            }
            Failure::Slow => (
                "stopped a catalog query that took longer than allowed",
                "try again when the server is less busy, or raise limits.timeout_seconds",
            ),
            Failure::Refused => (
                "refuses the connection: nothing listens there",
                "start the server, or correct host and port of the URL",
            ),
            Failure::File => (
                "names a socket or a certificate file that is not there, or not open to this user",
                "correct the paths in the URL, or the rights on these files",
            ),
            Failure::Unreachable => (
                "cannot be reached: its host is not found, or no way leads to it",
                "correct the host of the URL, or run the audit where the server can be reached",
            ),
            Failure::CutOff => (
                "closed the connection in the middle",
                "see the log of the server, or of what stands between, and try again",
            ),
            Failure::Tls => (
                "gives no encrypted connection as the URL asks for it, or its certificate is not trusted",
                "correct sslmode (ssl-mode) and the certificates named in the URL, or those of the server",
            ),
            Failure::Protocol => (
                "does not answer as such a server does, or hangs up at once",
                "correct scheme, host and port of the URL; a proxy may stand there",
            ),
            Failure::Login => (
                "refuses the login: user, password or the way to log in is not accepted",
                "correct user and password of the URL, or the server's rules for this client",
            ),
            Failure::Database => (
                "has no database of that name, or this user may not enter it",
                "correct the name of the database, or grant the user the right to connect to it",
            ),
            Failure::Right => (
                "lets this user not read what is asked for",
                "grant the user the right to read (SELECT); the audit writes nothing",
            ),
            Failure::Busy => (
                "takes no further connection now",
                "try again when it has started up, or when connections are free",
            ),
            Failure::Locked => (
                "holds a lock on what is asked for",
                "try again when the change of the schema that runs there is done",
            ),
            Failure::Other(code) => {
                return (
                    format!("{label} refused a catalog query (code {code})"),
                    "look the code up in the engine's documentation, or give the schema as text (--schema)"
                        .to_owned(),
                );
            }
        };
        (format!("{label} {sentence}"), next.to_owned())
    }
}

fn of_io(kind: ErrorKind) -> Failure {
    match kind {
        ErrorKind::ConnectionRefused => Failure::Refused,
        ErrorKind::NotFound | ErrorKind::PermissionDenied => Failure::File,
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => Failure::CutOff,
        ErrorKind::TimedOut => Failure::Unreachable,
        // A certificate that is not trusted, or a handshake that is none.
        ErrorKind::InvalidData => Failure::Tls,
        _ => Failure::Unreachable,
    }
}

/// Source: PostgreSQL, appendix A, "PostgreSQL Error Codes".
fn of_sqlstate(code: &str) -> Failure {
    match code {
        "57014" => Failure::Slow,
        "55P03" => Failure::Locked,
        "42501" => Failure::Right,
        "3D000" => Failure::Database,
        "53300" | "57P03" | "53400" => Failure::Busy,
        "57P01" | "57P02" | "57P05" | "25P03" => Failure::CutOff,
        _ if code.starts_with("28") => Failure::Login,
        _ if code.starts_with("08") => Failure::Protocol,
        // Five letters and digits: nothing of the URL can stand in it.
        _ if code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            Failure::Other(code.to_owned())
        }
        _ => Failure::Other("unknown".to_owned()),
    }
}

/// Source: MySQL, "Server Error Message Reference"; MariaDB, "MariaDB Error Codes".
fn of_mysql(number: u16) -> Failure {
    match number {
        1045 | 1130 | 1698 | 1251 | 1862 | 1820 | 2059 | 4151 | 3118 => Failure::Login,
        1044 | 1049 => Failure::Database,
        1142 | 1143 | 1227 | 1370 | 1410 => Failure::Right,
        1040 | 1203 | 1226 | 1129 => Failure::Busy,
        1053 | 1152 | 1184 | 1927 => Failure::CutOff,
        1205 => Failure::Locked,
        3024 | 1969 | 1317 | 1028 => Failure::Slow,
        3159 => Failure::Tls,
        other => Failure::Other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_engines_mean_the_same_kinds() {
        let pairs = [
            ("28P01", 1045, Failure::Login),
            ("28000", 1130, Failure::Login),
            ("3D000", 1049, Failure::Database),
            ("42501", 1142, Failure::Right),
            ("53300", 1040, Failure::Busy),
            ("57P01", 1053, Failure::CutOff),
            ("57014", 3024, Failure::Slow),
            ("57014", 1969, Failure::Slow),
            ("55P03", 1205, Failure::Locked),
        ];
        for (state, number, failure) in pairs {
            assert_eq!(of_sqlstate(state), failure, "{state}");
            assert_eq!(of_mysql(number), failure, "{number}");
        }
        assert_eq!(of_sqlstate("XX000"), Failure::Other("XX000".to_owned()));
        assert_eq!(
            of_sqlstate("bob@host"),
            Failure::Other("unknown".to_owned())
        );
        assert_eq!(of_mysql(1064), Failure::Other("1064".to_owned()));
        assert_eq!(of_io(ErrorKind::InvalidData), Failure::Tls);
        assert_eq!(of_io(ErrorKind::ConnectionReset), Failure::CutOff);
    }

    #[test]
    fn every_kind_says_what_to_do() {
        for failure in [
            Failure::Silent(Duration::from_secs(10)),
            Failure::Slow,
            Failure::Refused,
            Failure::File,
            Failure::Unreachable,
            Failure::CutOff,
            Failure::Tls,
            Failure::Protocol,
            Failure::Login,
            Failure::Database,
            Failure::Right,
            Failure::Busy,
            Failure::Locked,
            Failure::Other("XX000".to_owned()),
        ] {
            let reason = failure.reason("env:DB", "its keys are not known");
            assert!(
                reason.sentence.starts_with("env:DB "),
                "{}",
                reason.sentence
            );
            assert!(reason.sentence.ends_with("; its keys are not known"));
            assert!(reason.next_step.len() > 20, "{}", reason.next_step);
        }
    }
}
