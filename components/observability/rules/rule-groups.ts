import type { AlertRule, RecordingRule, RuleSubject } from "./types";

const RUNBOOK_PATH = "docs/operations.md";

export interface RuleGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: (RenderedRecording | RenderedAlert)[];
}

interface RenderedRecording {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Record<string, string>;
}

interface RenderedAlert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Record<string, string>;
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** @param runbook URL or path of `docs/operations.md`. */
export function ruleGroups({ subject, recording, alerts }: RuleSubject, runbook = RUNBOOK_PATH): RuleGroup[] {
  const groups = [
    { name: `${subject}.recording`, interval: "30s", rules: recording.map(recordingRule) },
    { name: `${subject}.alerts`, interval: "30s", rules: alerts.map((alert) => alertRule(alert, runbook)) },
  ];
  return groups.filter(({ rules }) => rules.length > 0);
}

/** As Git forges derive it from the heading. */
export function runbookAnchor(alert: string): string {
  return alert.toLowerCase();
}

function recordingRule({ record, expr, labels }: RecordingRule): RenderedRecording {
  return { record, expr: oneLine(expr), ...(labels && { labels: { ...labels } }) };
}

function alertRule(rule: AlertRule, runbook: string): RenderedAlert {
  return {
    alert: rule.alert,
    expr: oneLine(rule.expr),
    for: rule.for,
    labels: { severity: rule.severity },
    annotations: {
      summary: rule.summary,
      description: rule.description,
      runbook_url: `${runbook}#${runbookAnchor(rule.alert)}`,
    },
  };
}

function oneLine(expr: string): string {
  return expr.trim().replace(/\s+/g, " ");
}
