//! Implements `jobs <id> save`, which exports a job as a single JSON document.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{JobFile, Jobs};

impl Jobs {
    /// Writes the report of a job to `folder` and returns its path.
    #[expect(clippy::disallowed_methods, reason = "writes a file that HammerDB users expect")]
    pub fn save(&self, id: &str, folder: &Path) -> Result<PathBuf, String> {
        let job = self.find(id)?;
        let path = folder.join(format!("hdb_{id}.json"));
        let written = std::fs::write(&path, format!("{:#}\n", self.report(&job)));
        written
            .map(|()| path.clone())
            .map_err(|error| format!("Error: {}: {error}", path.display()))
    }

    /// Returns the report of a job as text.
    pub fn report_text(&self, id: &str) -> Result<String, String> {
        let job = self.find(id)?;
        Ok(format!("{:#}", self.report(&job)))
    }

    fn report(&self, job: &JobFile) -> Value {
        let number = |key: &str| {
            let section = job.dict.values().filter_map(Value::as_object).find_map(|section| {
                let found = section.iter().find(|(name, _)| name.ends_with(key));
                found.and_then(|(_, value)| value.as_str()?.parse::<u64>().ok())
            });
            section.map_or(Value::Null, Value::from)
        };
        let system = self.system_value(job);
        // Use the actual size of the data, because the size in the job's dictionary may differ from it.
        let key = if job.asks_queries() { "scale_fact" } else { "count_ware" };
        let size = self.run(job).map_or_else(|| number(key), |run| json!(run.record.plan.scale));
        json!({
            "schema": "hammerdb-job-report-v1",
            "description": "A HammerDB script job run by Tacho",
            "artifact": {
                "type": "job_report",
                "schema": "hammerdb-job-report-v1",
                "source": "tacho",
                "generated_by": concat!("tacho ", env!("CARGO_PKG_VERSION")),
                "visibility": "private",
                "redacted": true,
            },
            "disclaimer": {
                "result_type": format!("derived from {}, not a TPC result", job.bm),
                "audited": false,
                "text": "Not comparable to published TPC results.",
            },
            "job": {
                "jobid": job.jobid,
                "database": job.db,
                "database_display": job.db,
                "benchmark": job.bm,
                "timestamp": job.timestamp,
                "tacho_runs": job.runs,
            },
            "benchmark_config": {
                "warehouses": if job.asks_queries() { Value::Null } else { size.clone() },
                "virtual_users": job.activevu,
                "scale_factor": if job.asks_queries() { size } else { Value::Null },
                "rampup_minutes": number("rampup"),
                "duration_minutes": number("duration"),
            },
            "system": system.unwrap_or_else(|| json!({ "available": false })),
            "result": self.result_report(job),
            "transaction_count": {
                "available": !job.tcount.is_empty(),
                "series": [{
                    "database": job.db,
                    "metric": job.counter,
                    "points": job.tcount.iter().map(|(at, value)| json!({
                        "timestamp": at, "value": value,
                    })).collect::<Vec<_>>(),
                }],
            },
            "response_times": {
                "type": "boxplot",
                "unit": "milliseconds",
                "rows": self.times(job).iter().map(|timing| {
                    let mut row = json!(timing);
                    row["procedure"] = timing.name.into();
                    row
                }).collect::<Vec<_>>(),
            },
            "query_times": self.query_times_report(job),
            "metrics": metrics(job),
        })
    }

    fn result_report(&self, job: &JobFile) -> Value {
        if job.asks_queries() {
            return self.query_report(job).unwrap_or_default();
        }
        let Some((nopm, tpm)) = self.result(job) else { return Value::Null };
        json!({
            "type": "tproc_c_result",
            "database_display": job.db,
            "active_virtual_users": job.activevu,
            "nopm": nopm,
            "tpm": tpm,
            "chart_data": [
                { "metric": "NOPM", "value": nopm },
                { "metric": "TPM", "value": tpm },
            ],
        })
    }
}

fn metrics(job: &JobFile) -> Value {
    let of =
        |value: fn(&super::Sample) -> Value| job.metrics.iter().map(value).collect::<Vec<Value>>();
    json!({
        "available": !job.metrics.is_empty(),
        "cpu_percent": of(|sample| json!({
            "timestamp": sample.timestamp, "usr_pct": sample.usr, "sys_pct": sample.sys,
            "irq_pct": sample.irq, "idle_pct": sample.idle,
        })),
        "iops": of(|sample| json!({ "timestamp": sample.timestamp, "value": sample.iops })),
        "mbps": of(|sample| json!({ "timestamp": sample.timestamp, "value": sample.mbps })),
    })
}
