//! Implements `wsport`, `wsstart`, `wsstatus` and `wsstop`. The web service ends with the session.

use super::{Console, Next};
use crate::web::Service;

impl Console {
    pub(super) fn wsport(&mut self, words: &[&str]) -> Next {
        match words {
            [] => {
                let port = self.dictionary.generic("webservice", "ws_port");
                self.complain(format!("Web Service Port set to {port}"))
            }
            [port] if port.parse::<u16>().is_ok() => {
                let _ = self.dictionary.set_generic("webservice", "ws_port", port);
                self.complain(format!("Setting Web Service port to {port}"))
            }
            [_] => self.complain("Error: Web Service port should be an integer"),
            _ => self.usage("wsport", "Invalid number of arguments"),
        }
    }

    pub(super) fn wsstart(&mut self, _: &[&str]) -> Next {
        if self.plan.is_some() {
            return Next::Done;
        }
        if let Some(service) = &self.web {
            return self.complain(format!("Web Service already running on port {}", service.port));
        }
        let Ok(port) = self.dictionary.generic("webservice", "ws_port").parse() else {
            return Next::Failed("Error: Web Service port should be an integer".into());
        };
        match Service::start(port, &self.setup.context.folder, &self.setup.temp) {
            Ok(service) => {
                self.web = Some(service);
                Next::Done
            }
            Err(error) => Next::Failed(format!("Error: {}", crate::work::words(&error))),
        }
    }

    pub(super) fn wsstatus(&mut self, _: &[&str]) -> Next {
        let text = match &self.web {
            Some(service) => {
                let jobs = self.jobs.folder().display();
                format!(
                    "Web Service running: Service Environment http://localhost:{}/ of {jobs}",
                    service.port
                )
            }
            None => "Web Service not running: use wsstart to start it".into(),
        };
        self.complain(text)
    }

    pub(super) fn wsstop(&mut self, _: &[&str]) -> Next {
        let text = match self.web.take() {
            Some(service) => format!("Stopping HammerDB Web Service on port {}", service.port),
            None => "Web Service not running: use wsstart to start it".into(),
        };
        self.complain(text)
    }
}
