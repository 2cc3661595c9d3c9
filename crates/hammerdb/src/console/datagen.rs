//! Implements `datagenrun`, which uses the options set by `dgset`.

use std::path::PathBuf;

use super::{Console, Next};
use crate::dictionary::Benchmark;
use crate::work::{FilesTask, Task, request, tproch};

impl Console {
    pub(super) fn datagenrun(&mut self, _: &[&str]) -> Next {
        if self.work.is_some() || self.users.exist() {
            return self.complain(
                "Cannot generate data with Virtual Users active, destroy Virtual Users first",
            );
        }
        let of = |key: &str| self.dictionary.generic("datageneration", key).to_owned();
        let benchmark = self.dictionary.benchmark;
        let users = of("gen_num_vu").parse().unwrap_or(1);
        let (size, scale) = match benchmark {
            Benchmark::TprocC => (of("gen_count_ware"), of("gen_count_ware")),
            Benchmark::TprocH => {
                let factor = of("gen_scale_fact");
                (factor.clone(), tproch::gigabytes(&factor, self.setup.gigabyte))
            }
        };
        if let Some(text) = self.too_many_writers() {
            self.failure.get_or_insert(tacho_app::Exit::Usage);
            return self.complain(text);
        }
        let flags = match request::files(&self.dictionary, &scale, users) {
            Ok(flags) => flags,
            Err(text) => return Next::Failed(text),
        };
        let folder = self.data_folder();
        if let Some(planned) = &mut self.plan {
            planned.files(&flags, &folder);
            return Next::Done;
        }
        self.announce_files(&size, &folder);
        self.users.create(users, false, true);
        for user in 1..=users {
            self.say(format!("Vuser {user} created - WAIT IDLE"));
        }
        let task = FilesTask { flags, benchmark, size, users, folder };
        self.begin(Task::Files(Box::new(task)), "")
    }

    /// Returns the folder to which the data is written.
    pub(super) fn data_folder(&self) -> PathBuf {
        match self.dictionary.generic("datageneration", "gen_directory") {
            "" => self.setup.temp.clone(),
            folder => PathBuf::from(folder),
        }
    }

    /// Returns an error if there are more virtual users than warehouses.
    pub(super) fn too_many_writers(&self) -> Option<String> {
        let of = |key: &str| self.dictionary.generic("datageneration", key).parse().unwrap_or(1);
        let (users, size): (u64, u64) = (of("gen_num_vu"), of("gen_count_ware"));
        (self.dictionary.benchmark == Benchmark::TprocC && users > size)
            .then(|| request::too_many_users(users, size))
    }

    fn announce_files(&mut self, size: &str, folder: &std::path::Path) {
        let (database, benchmark) = (self.dictionary.database(), self.dictionary.benchmark);
        let what = match benchmark {
            Benchmark::TprocC => format!("{size} Warehouse"),
            Benchmark::TprocH => format!("Scale Factor {size}"),
        };
        self.say(format!(
            "Ready to generate the data for a {what} {} {} schema in directory {} ?",
            database.build_name,
            benchmark.name(),
            folder.display()
        ));
        self.say("Enter yes or no: replied yes");
    }
}
