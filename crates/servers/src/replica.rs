//! Private servers that have a replica.
//!
//! Start reading at [`ServerPool::up_with_replica`].

use tacho_core::{Error, ErrorKind, Result};

use crate::server_pool::{How, Listener, ServerPool, Up};
use crate::state::ServerState;
use crate::{Options, Product};

/// The replication mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replication {
    /// Commits do not wait for the replica.
    Asynchronous,
    /// Each commit waits until the replica has received it.
    Synchronous,
}

impl ServerPool {
    /// Starts a server like [`ServerPool::up`], along with a replica whose name ends in `-replica`.
    ///
    /// # Errors
    /// Fails like [`ServerPool::up`]. Also returns [`ErrorKind::Unsupported`] if the product does not support replicas,
    /// or a usage error if an existing server has no replica.
    pub fn up_with_replica(
        &self,
        word: &str,
        name: Option<&str>,
        replication: Replication,
        options: &Options,
        (tell, go_on): Listener<'_>,
    ) -> Result<[Up; 2]> {
        let (name, product) = self.named(word, name, options)?;
        let with = |replication: Replication| {
            let settings = settings(product, replication)?;
            let settings = settings.into_iter().chain(options.settings.clone()).collect();
            Ok::<_, Error>(Options { settings, ..options.clone() })
        };
        let primary = self.up(word, Some(&name), with(replication)?, tell, go_on)?;
        // After a failover, the promoted replica has no replica of its own, so its commits must not wait for one.
        let options = with(Replication::Asynchronous)?;
        let replica = self.replica(&primary, product, options, (tell, go_on));
        match replica {
            Ok(replica) => Ok([primary, replica]),
            Err(error) => {
                if primary.how == How::Made {
                    self.down(Some(&name), false)?;
                }
                Err(error)
            }
        }
    }

    fn replica(
        &self,
        primary: &Up,
        product: &'static dyn Product,
        options: Options,
        (tell, go_on): Listener<'_>,
    ) -> Result<Up> {
        let name = replica_name(&primary.state.name);
        if ServerState::read(&self.file(&name))?.is_some_and(|state| state.made) {
            return self.up(product.id(), Some(&name), Options::default(), tell, go_on);
        }
        if primary.how != How::Made {
            let text = format!("{} was created without a replica", primary.state.name);
            return Err(Error::usage(text).hint("use --name to create a server with another name"));
        }
        let server = self.opened(&primary.state)?;
        let _lock = self.lock()?;
        // A replica's settings must be the same as the primary's, except for the port.
        let options = Options { port: None, ..options };
        let made = self.made(&name, product, options, Some(server.place()), (tell, go_on));
        let made = made.inspect_err(|_| self.remove(&name))?;
        let replica = self.opened(&made.state)?;
        let followed = match product.following(replica.place(), server.place()) {
            Ok(Some(command)) => replica.place().run(command, format!("make {name} a replica")),
            other => other.map(drop),
        };
        if let Err(error) = followed {
            self.down_one(made.state, false)?;
            return Err(error);
        }
        Ok(made)
    }
}

/// Returns the name of a server's replica.
pub(crate) fn replica_name(primary: &str) -> String {
    format!("{primary}-replica")
}

fn settings(product: &dyn Product, replication: Replication) -> Result<Vec<(String, String)>> {
    product.primary_settings(replication == Replication::Synchronous).ok_or_else(|| {
        let text = format!("replicas of {} are not supported", product.title());
        Error::new(ErrorKind::Unsupported, text).hint("omit --replica to create a single server")
    })
}
