//! The executor: what the platform does with an event, statement by statement.
//!
//! Each `pause` is a place where a worker can crash, or stall while another works. What stands in
//! the comments are the platform's rules in short; the rule pack says the same to the audit.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::{Value as Json, json};

use super::database::{Change, Database, Event, Holder};
use super::formulas::{Moment, Scope};
use super::system::{Flow, INSTANCES, System, text};
use super::tables::Row;

/// Everything outside the worker.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) database: Database,
    pub(crate) trace: Vec<Trace>,
    /// Set while the worker that ran last waits for a lock.
    pub(crate) waiting: bool,
}

/// One thing an effect did or tried; it stays when the transaction is undone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trace {
    /// Which delivery, from 0.
    pub(crate) delivery: usize,
    /// Whose: `flow:<name>/<step>`.
    pub(crate) site: String,
    pub(crate) did: Did,
}

/// What it did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Did {
    /// Assigned these values to a row.
    Wrote {
        table: String,
        id: Json,
        values: Row,
    },
    /// Made a row, or took one that was there.
    Has { id: Json },
    /// Called the outside.
    Called,
    /// Ended in an error.
    Failed(String),
    /// Came to its end.
    Done,
}

/// One delivery of an event, as far as deliveries differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Delivery {
    pub(crate) index: usize,
    pub(crate) moment: Moment,
    /// The order in which a map of assignments is walked, which the platform leaves open.
    pub(crate) backwards: bool,
}

/// One worker handling one delivery.
pub(crate) struct Worker<'a> {
    pub(crate) system: &'a System,
    pub(crate) world: &'a RefCell<World>,
    pub(crate) holder: Holder,
    pub(crate) delivery: Delivery,
    /// True if a violation is handled only for an index of exactly the natural key; otherwise
    /// after any violation the row is looked up again.
    pub(crate) strict: bool,
}

/// Why an action ends early.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    Error(String),
    /// A UNIQUE index of these columns refused the row.
    Violated(Vec<String>),
    /// The transaction around it has to be run again.
    Again,
}

/// Whose transaction a write is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// Its own: it ends with the write.
    Own,
    /// One around it.
    Another,
}

/// Which words an action may use, and whose record `UpdateRecord` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Flow,
    Named,
}

pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

struct Pause(bool);

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl<'a> Worker<'a> {
    /// A statement ends here.
    pub(crate) async fn pause(&self) {
        Pause(false).await;
    }

    /// Another holds a lock: nothing happens until it lets go.
    pub(crate) async fn wait(&self) {
        self.world.borrow_mut().waiting = true;
        Pause(false).await;
    }

    pub(crate) fn trace(&self, site: &str, did: Did) {
        self.world.borrow_mut().trace.push(Trace {
            delivery: self.delivery.index,
            site: site.to_owned(),
            did,
        });
    }

    pub(crate) fn commit(&self) {
        self.world.borrow_mut().database.commit(self.holder);
    }

    pub(crate) fn rollback(&self) {
        self.world.borrow_mut().database.rollback(self.holder);
    }

    /// Delivers an event: every active flow whose object and trigger match, in order, those whose
    /// condition is true at this moment. An error of one ends that one and is swallowed.
    /// With `only`, the other flows are left out.
    pub(crate) async fn deliver(&self, event: &Event, only: Option<&str>) {
        let trigger = match event.kind {
            Change::Created => "afterCreate",
            Change::Updated => "afterUpdate",
        };
        for flow in self.matching(trigger, &event.object) {
            if only.is_some_and(|only| only != flow.name) {
                continue;
            }
            let scope = Scope {
                record: with_id(&event.record),
                prior: event.prior.as_ref().map(with_id),
                ..Scope::default()
            };
            if self.applies(flow, &scope) {
                self.pause().await;
                self.run_flow(flow, &scope).await;
            }
        }
    }

    pub(crate) fn matching(&self, trigger: &str, object: &str) -> impl Iterator<Item = &'a Flow> {
        self.system.flows.iter().filter(move |flow| {
            flow.trigger.eq_ignore_ascii_case(trigger) && flow.object.eq_ignore_ascii_case(object)
        })
    }

    /// A condition that cannot be evaluated, or is no truth value, skips the flow.
    pub(crate) fn applies(&self, flow: &Flow, scope: &Scope) -> bool {
        flow.condition.trim().is_empty()
            || self.evaluate(&flow.condition, scope) == Ok(Json::Bool(true))
    }

    pub(crate) fn evaluate(&self, expression: &str, scope: &Scope) -> Result<Json, String> {
        let moment = self.delivery.moment;
        self.system.formulas.evaluate(expression, scope, moment)
    }

    async fn run_flow(&self, flow: &Flow, scope: &Scope) {
        let site = format!("flow:{}/action", flow.name);
        if !flow.multistep || !flow.word.is_empty() {
            let ran = self.action(
                &site,
                &flow.word,
                &flow.config,
                scope,
                &flow.object,
                Place::Flow,
            );
            self.settle(&site, ran.await);
            return;
        }
        // A multistep flow opens a run and starts its first step; later ones wait for approvals.
        let site = format!("flow:{}/start", flow.name);
        let values = [
            ("flow_id", json!(flow.name)),
            ("record_id", scope.record["__sys_gen_id"].clone()),
            ("started_date", self.now()),
        ];
        let opened = self.platform_row(&site, INSTANCES, values).await;
        self.settle(&site, opened);
        let first = flow
            .steps
            .iter()
            .min_by_key(|step| step["step_order"].as_i64());
        if let Some(step) = first {
            let site = format!("flow:{}/{}", flow.name, text(step, "step_name"));
            let ran = if step["step_type"] == "approval" {
                self.work_item(&site, flow, scope).await
            } else {
                let word = text(step, "action_type");
                let config = &step["action_config"];
                self.action(&site, &word, config, scope, &flow.object, Place::Flow)
                    .await
            };
            self.settle(&site, ran);
        }
    }

    fn settle(&self, site: &str, ran: Result<(), Fault>) {
        if let Err(fault) = ran {
            self.rollback();
            self.trace(site, Did::Failed(format!("{fault:?}")));
        }
    }

    /// One action of a flow or step, or a named action; words of flows in any case, of named
    /// actions letter for letter.
    fn action<'b>(
        &'b self,
        site: &'b str,
        word: &'b str,
        config: &'b Json,
        scope: &'b Scope,
        object: &'b str,
        place: Place,
    ) -> Boxed<'b, Result<(), Fault>> {
        Box::pin(async move {
            let lower = word.to_ascii_lowercase();
            let word = if place == Place::Flow { &*lower } else { word };
            match (place, word) {
                (Place::Flow, "updaterecord") => {
                    // The event's own record, whatever the configuration says.
                    let id = scope.record["__sys_gen_id"].clone();
                    self.set(site, object, &id, config, scope, Within::Own)
                        .await
                }
                (Place::Flow, "createrecord") | (Place::Named, "CreateRecord") => {
                    let made = self.create(site, config, scope, Within::Own).await;
                    made.map(|_| ())
                }
                (Place::Named, "UpdateRecord") => {
                    self.set_named(site, config, scope, Within::Own).await
                }
                (Place::Flow, "sendemail" | "callwebhook")
                | (Place::Named, "SendEmail" | "CallWebhook") => {
                    self.call(site, word, config, scope).await
                }
                (Place::Flow, "submitforapproval") => {
                    let flow = self
                        .system
                        .flows
                        .iter()
                        .find(|flow| site.contains(&flow.name));
                    match flow {
                        Some(flow) => self.work_item(site, flow, scope).await,
                        None => Err(Fault::Error("no flow to approve".to_owned())),
                    }
                }
                (Place::Flow, "action") => {
                    let Some(action) = self.system.actions.get(&text(config, "action_id")) else {
                        return Err(Fault::Error("no such action".to_owned()));
                    };
                    let word = text(action, "type");
                    self.action(site, &word, &action["config"], scope, object, Place::Named)
                        .await
                }
                (Place::Named, "Composite") => self.composite(site, config, scope).await,
                _ => Err(Fault::Error(format!("unknown action {word}"))),
            }
        })
    }

    /// The steps in one transaction, all or nothing; calls out are not part of it. A transaction
    /// that lost a race for a key is run again from its beginning.
    async fn composite(&self, site: &str, config: &Json, scope: &Scope) -> Result<(), Fault> {
        for _ in 0..3 {
            match self.steps(site, config, scope.clone()).await {
                Ok(()) => {
                    self.pause().await;
                    self.commit();
                    return Ok(());
                }
                Err(Fault::Again) => {
                    self.rollback();
                    self.pause().await;
                }
                Err(fault) => return Err(fault),
            }
        }
        Err(Fault::Again)
    }

    async fn steps(&self, site: &str, config: &Json, mut scope: Scope) -> Result<(), Fault> {
        for step in config["steps"].as_array().into_iter().flatten() {
            let id = text(step, "id");
            let site = format!("{site}.{id}");
            let word = text(step, "type");
            let ran = match &*word {
                "CreateRecord" => {
                    let made = self.create(&site, step, &scope, Within::Another).await;
                    made.map(|row| {
                        scope.results.insert(id, with_id(&row));
                    })
                }
                "UpdateRecord" => self.set_named(&site, step, &scope, Within::Another).await,
                "SendEmail" | "CallWebhook" => self.call(&site, &word, step, &scope).await,
                _ => Err(Fault::Error(format!("unknown action {word}"))),
            };
            if let Err(fault) = ran {
                if fault != Fault::Again {
                    self.trace(&site, Did::Failed(format!("{fault:?}")));
                }
                return Err(fault);
            }
            self.pause().await;
        }
        Ok(())
    }

    async fn set_named(
        &self,
        site: &str,
        config: &Json,
        scope: &Scope,
        within: Within,
    ) -> Result<(), Fault> {
        let id = self.value(&config["record_id"], scope)?;
        let table = text(config, "target_object");
        self.set(site, &table, &id, config, scope, within).await
    }
}

/// A stored row as formulas see it: its id goes by two names.
pub(crate) fn with_id(row: &Row) -> Row {
    let mut row = row.clone();
    if let Some(id) = row.get("__sys_gen_id").cloned() {
        row.insert("id".to_owned(), id);
    }
    row
}
