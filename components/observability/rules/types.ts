/** Prometheus rules as plain data, with the cases that prove them. */

/** Prometheus durations: `30s`, `5m`, `1h`. */
export type PrometheusDuration = `${number}${"s" | "m" | "h" | "d"}`;

/** Input series in promtool's notation, sampled each minute: `{'up{job="a"}': "1x30"}`. */
export type InputSeries = Readonly<Record<string, string>>;

/** A recorded past in which an alert does, or does not, fire. */
export interface RuleCase {
  readonly series: InputSeries;
  /** When to look, from the start of the series. */
  readonly at: PrometheusDuration;
}

export interface AlertRule {
  /** Also the heading of its entry in the runbook. */
  readonly alert: string;
  readonly expr: string;
  /** How long the condition holds before the alert fires. */
  readonly for: PrometheusDuration;
  /** `critical` wakes someone, `warning` waits for working hours, `info` is for reports. */
  readonly severity: "critical" | "warning" | "info";
  /** One line: what is wrong with what. May use `{{ $labels.x }}` and `{{ $value }}`. */
  readonly summary: string;
  /** The figure, what it means for users, and the first thing to do. */
  readonly description: string;
  readonly cases: {
    /** A past that fires the alert exactly once, with these labels besides `alertname` and `severity`. */
    readonly fires: RuleCase & { readonly labels: Readonly<Record<string, string>> };
    /** The nearest past that must stay quiet. */
    readonly quiet: RuleCase;
  };
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What the series means, and its unit. */
  readonly about: string;
  readonly cases: { readonly gives: RuleCase & { readonly samples: Readonly<Record<string, number>> } };
}

/** One subject: its groups of the PrometheusRule. */
export interface RuleSubject {
  /** Lower-case name, with which the names of its groups start. */
  readonly subject: string;
  readonly recording: readonly RecordingRule[];
  readonly alerts: readonly AlertRule[];
}
