//! `dsn-mode`: addresses of databases that need a session do not lead to a transaction pooler.

use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::guarantee::DsnMode;
use crate::model::scope::ContractPart;
use crate::model::settings::{Address, Setting};

use super::Asked;
use super::answer::{fails, open, shown};

/// `dsn-mode`.
pub(super) fn sessions(asked: &Asked<'_>, kind: &DsnMode) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "let {} name the session-mode address",
        kind.settings.join(" and ")
    );
    let mut parts = Vec::new();
    for name in &kind.settings {
        let mut found = asked
            .context
            .settings
            .iter()
            .filter(|it| it.name == *name)
            .peekable();
        if found.peek().is_none() {
            parts.push(open(
                asked.at,
                format!("no file of settings below the root gives {name}"),
                "keep an example of the settings in the tree (.env.example), without secrets",
            ));
        }
        parts.extend(found.map(|setting| one(kind, setting)));
    }
    (parts, repair)
}

fn one(kind: &DsnMode, setting: &Setting) -> ContractPart {
    let (name, place) = (&setting.name, &setting.place);
    let Some(addresses) = &setting.addresses else {
        return open(
            place,
            format!("{name} is put together from other settings: where it leads is not known"),
            "write the address with its port",
        );
    };
    for address in addresses {
        if let Some(why) = pooled(kind, address) {
            return fails(
                place,
                format!(
                    "{name} leads to a transaction pooler: {why}; a lock or a checkpointer loses its session there"
                ),
            );
        }
    }
    shown(
        InputKind::Configuration,
        ObservedBy::Text,
        place,
        format!("{name} leads to one session for each connection"),
    )
}

fn pooled(kind: &DsnMode, address: &Address) -> Option<String> {
    let port = address
        .port
        .as_ref()
        .filter(|port| kind.pooler_ports.contains(*port));
    if let Some(port) = port {
        return Some(format!("port {port}"));
    }
    let host = address.host.as_ref()?;
    let part = kind
        .pooler_hosts
        .iter()
        .find(|part| host.contains(&***part));
    if let Some(part) = part {
        // A pooler in session mode has the ordinary port.
        let session = address.port.as_deref() == Some("5432");
        return (!session).then(|| format!("its host has `{part}` in its name"));
    }
    let asked = kind.pooler_parameters.iter().find(|asked| {
        let (name, value) = asked.split_once('=').unwrap_or((asked, "true"));
        let mut given = address.parameters.iter();
        given.any(|(known, found)| {
            known.eq_ignore_ascii_case(name) && found.eq_ignore_ascii_case(value)
        })
    });
    asked.map(|asked| format!("it asks for {asked}"))
}
