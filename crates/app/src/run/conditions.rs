//! Records the server's machine and the size of the data.
//!
//! If information cannot be read, it is omitted from the record. A message explains this, and the run continues.
//!
//! Start reading at [`machine`].

use std::path::Path;

use tacho_analysis::shares_machine;
use tacho_collect::{host, storage};
use tacho_core::Result;
use tacho_driver::{DataSizes, ServerMachine};
use tacho_store::Listener;
use tacho_store::record::{MachineRecord, Record, SizesRecord, TableSizeRecord};

use super::opened::Live;
use crate::Request;
use crate::access::Access;

/// Facts that the server reported before the load started.
#[derive(Default)]
pub(super) struct ServerConditions {
    machine: Option<ServerMachine>,
    sizes: Option<SizesRecord>,
}

/// Reads facts about the server's machine and the sizes of the data. Adds failures to `notes`.
pub(super) fn ask(
    access: &Access,
    request: Request<'_>,
    notes: &mut Vec<String>,
) -> ServerConditions {
    let mut said = ServerConditions::default();
    let machine = access.answer_apart(request, async |mut session| {
        let machine = session.inspector().machine().await?;
        Ok((machine, session))
    });
    match machine {
        Ok(machine) => said.machine = machine,
        Err(error) => notes.push(format!(
            "could not record information about the server's machine: \
            {error}"
        )),
    }
    match sizes(access, request) {
        Ok(sizes) => said.sizes = sizes.map(sizes_record),
        Err(error) => {
            notes.push(format!("could not record the table sizes: {error}"));
        }
    }
    said
}

/// Reads the sizes of the tables and indexes. Uses a separate connection, because the request may have to wait for a
/// locked table.
fn sizes(access: &Access, request: Request<'_>) -> Result<Option<DataSizes>> {
    access.answer_apart(request, async |mut session| {
        let sizes = session.inspector().sizes().await?;
        Ok((sizes, session))
    })
}

/// Adds these facts to the record.
pub(super) fn note(record: &mut Record, said: ServerConditions) {
    record.server.machine = said.machine.map(|machine| self::machine(record, machine));
    if let Some(data) = &mut record.data {
        data.sizes_before = said.sizes;
    }
}

/// Returns the sizes after the load.
pub(super) fn sizes_after(
    request: Request<'_>,
    live: &Live,
    listener: &mut dyn Listener,
) -> Option<SizesRecord> {
    if !request.job.has_data() {
        return None;
    }
    match sizes(&live.access, request) {
        Ok(sizes) => sizes.map(sizes_record),
        Err(error) => {
            listener.note(&format!(
                "could not record the table sizes after the run: \
                {error}"
            ));
            None
        }
    }
}

/// Describes the server's machine. If the server reports another machine name, the server is remote, whatever its
/// address is.
fn machine(record: &Record, said: ServerMachine) -> MachineRecord {
    let is_named_otherwise = !said.name.is_empty() && said.name != record.host.name;
    if !shares_machine(record) || is_named_otherwise {
        return MachineRecord {
            source: "server".into(),
            name: said.name,
            os: said.os,
            arch: said.arch,
            cpu: said.cpu,
            cores: said.cores,
            memory_bytes: said.memory_bytes,
            data_path: said.data_path,
            ..MachineRecord::default()
        };
    }
    let host = host();
    let below = Some(said.data_path.as_str()).filter(|path| !path.is_empty());
    let below = below.and_then(|path| storage(Path::new(path))).unwrap_or_default();
    MachineRecord {
        source: "client".into(),
        name: host.name,
        os: format!("{}, kernel {}", host.os, host.kernel),
        arch: host.arch,
        cpu: host.cpu,
        cores: tacho_collect::processors().or(Some(host.cores)),
        memory_bytes: Some(host.memory_bytes).filter(|bytes| *bytes > 0),
        data_path: said.data_path,
        file_system: below.file_system,
        disk: below.disk,
        disk_bytes: below.disk_bytes,
        disk_rotational: below.rotational,
    }
}

fn sizes_record(sizes: DataSizes) -> SizesRecord {
    let tables = sizes.tables.into_iter().map(|table| TableSizeRecord {
        name: table.name,
        rows: table.rows,
        bytes: table.bytes,
        index_bytes: table.index_bytes,
    });
    SizesRecord { database_bytes: sizes.database_bytes, tables: tables.collect() }
}
