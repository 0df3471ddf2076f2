/** Prometheus rules as data, with the cases that prove them. */

/** `30s`, `5m`, `1h`. */
export type PrometheusDuration = `${number}${"s" | "m" | "h" | "d"}`;

/** promtool's notation, by minute: `{'up{job="a"}': "1x30"}`. */
export type InputSeries = Readonly<Record<string, string>>;

/** A recorded past. */
export interface RuleCase {
  readonly series: InputSeries;
  /** Time since the start of the series. */
  readonly at: PrometheusDuration;
}

export interface AlertRule {
  /** Also the heading of its runbook entry. */
  readonly alert: string;
  readonly expr: string;
  readonly for: PrometheusDuration;
  /** `critical` pages, `warning` waits for working hours, `info` is for reports. */
  readonly severity: "critical" | "warning" | "info";
  /** One line; may use `{{ $labels.x }}` and `{{ $value }}`. */
  readonly summary: string;
  /** The figure, its meaning for users, and the first step. */
  readonly description: string;
  readonly cases: {
    /** Fires exactly once, with these labels besides `alertname` and `severity`. */
    readonly fires: RuleCase & { readonly labels: Readonly<Record<string, string>> };
    /** The nearest past that stays quiet. */
    readonly quiet: RuleCase;
  };
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Meaning and unit. */
  readonly about: string;
  readonly cases: { readonly gives: RuleCase & { readonly samples: Readonly<Record<string, number>> } };
}

export interface RuleSubject {
  /** Lower case; prefix of its groups' names. */
  readonly subject: string;
  readonly recording: readonly RecordingRule[];
  readonly alerts: readonly AlertRule[];
}
