import { z } from "zod";

/** Test alerts by Alertmanager's API v2 and metrics. */

export interface TestAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Notifications since start, by integration: webhook, slack, pagerduty, email. */
export interface Notifications {
  readonly sent: Readonly<Record<string, number>>;
  /** Refused or unanswered requests, which are retried. */
  readonly refused: Readonly<Record<string, number>>;
}

const receivers = z.array(z.object({ name: z.string() }));

const ANSWER_MS = 10_000;

/** @throws Error without an answer, or for a status other than 200. */
async function ask(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  }
  return text;
}

export async function receiverNames(base: string): Promise<string[]> {
  return receivers.parse(JSON.parse(await ask(`${base}/api/v2/receivers`))).map(({ name }) => name);
}

export async function post(base: string, alerts: readonly TestAlert[]): Promise<void> {
  await ask(`${base}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(alerts),
  });
}

export async function notifications(base: string): Promise<Notifications> {
  const text = await ask(`${base}/metrics`);
  const failed = counters(text, "alertmanager_notifications_failed_total");
  const sent = Object.entries(counters(text, "alertmanager_notifications_total"));
  return {
    sent: Object.fromEntries(sent.map(([integration, count]) => [integration, count - (failed[integration] ?? 0)])),
    refused: counters(text, "alertmanager_notification_requests_failed_total"),
  };
}

/** Sums by label `integration`. */
function counters(text: string, name: string): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [, labels = "", value] of text.matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm"))) {
    const integration = /integration="([^"]*)"/.exec(labels)?.[1] ?? "";
    sums.set(integration, (sums.get(integration) ?? 0) + Number(value));
  }
  return Object.fromEntries(sums);
}
