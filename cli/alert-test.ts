/** `npm run alert-test`: sends a test alert by Alertmanager until every receiver has taken it. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Notifications, notifications, post, receiverNames, type TestAlert } from "./alert-test/alertmanager";
import { type CommandIo, EXIT, lineOf } from "./io";

const USAGE = `Usage: npm run alert-test -- --url <Alertmanager> [--timeout <seconds>]

Sends one alert of each severity, AlertTestCritical and AlertTestWarning, through a deployed Alertmanager, waits until each
receiver has accepted one, and resolves them. People are paged: say so before.

  kubectl -n observability port-forward svc/metrics-alertmanager 9093 &
  npm run alert-test -- --url http://127.0.0.1:9093

  --url       address of Alertmanager
  --timeout   seconds to wait for each receiver; default 90, because alerts are grouped for up to 30
  --help      this text

Ends with 0 when every receiver accepted an alert, 1 when one did not or there is none, 2 for bad input.
`;

export const options = {
  url: { type: "string" },
  timeout: { type: "string", default: "90" },
  help: { type: "boolean", short: "h" },
} as const;

const SEVERITIES = ["critical", "warning"] as const;

/** Receivers without a reader. */
const NOT_PEOPLE: readonly string[] = ["nobody", "heartbeat"];

const POLL_MS = 1000;

interface Arguments {
  readonly url: string;
  readonly timeoutSeconds: number;
}

/** Exit status; never throws for bad input or outside failures. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const args = readArguments(argv);
  if (args === "help") {
    io.out(USAGE);
    return EXIT.ok;
  }
  if (typeof args === "string") {
    io.err(`${args}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  try {
    return await test(args, io);
  } catch (error) {
    io.err(`Alertmanager at ${args.url}: ${lineOf(error)}. Check the port-forward and the pod's log.\n`);
    return EXIT.refused;
  }
}

function readArguments(argv: string[]): Arguments | "help" | string {
  try {
    const { values } = parseArgs({ args: argv, options });
    if (values.help) {
      return "help";
    }
    const timeoutSeconds = Number(values.timeout);
    if (!(timeoutSeconds >= 1 && timeoutSeconds <= 3600)) {
      return `--timeout is ${JSON.stringify(values.timeout)}: allowed are seconds from 1 to 3600`;
    }
    if (values.url === undefined || !/^https?:\/\/[^/?#]+\/?$/.test(values.url) || !URL.canParse(values.url)) {
      return `--url is ${JSON.stringify(values.url ?? "")}: write the address of Alertmanager, such as http://127.0.0.1:9093`;
    }
    return { url: values.url.replace(/\/$/, ""), timeoutSeconds };
  } catch (error) {
    return lineOf(error);
  }
}

async function test({ url, timeoutSeconds }: Arguments, io: CommandIo): Promise<number> {
  const people = (await receiverNames(url)).filter((name) => !NOT_PEOPLE.includes(name));
  if (people.length === 0) {
    io.err(
      "Alertmanager has no receiver: declare one under observability.alerts, and run pulumi up (docs/alerts.md).\n",
    );
    return EXIT.refused;
  }
  const before = await notifications(url);
  const startsAt = new Date();
  // They resolve by themselves if this command is interrupted.
  await post(url, alerts(startsAt, new Date(startsAt.getTime() + 2 * timeoutSeconds * 1000)));
  const until = performance.now() + timeoutSeconds * 1000;
  let now = before;
  const waiting = () => people.filter((name) => delta(now.sent, before.sent, name) < 1);
  while (waiting().length > 0 && performance.now() < until) {
    await sleep(POLL_MS);
    now = await notifications(url);
  }
  await post(url, alerts(startsAt, new Date()));
  io.out(people.map((name) => line(name, now, before)).join(""));
  return waiting().length === 0 ? EXIT.ok : EXIT.refused;
}

function alerts(startsAt: Date, endsAt: Date): TestAlert[] {
  return SEVERITIES.map((severity) => ({
    labels: {
      alertname: `AlertTest${severity === "critical" ? "Critical" : "Warning"}`,
      severity,
      namespace: "alert-test",
    },
    annotations: {
      summary: "Test of alerting: nothing is wrong",
      description: "Sent by npm run alert-test. It resolves by itself.",
    },
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
  }));
}

function line(name: string, now: Notifications, before: Notifications): string {
  const sent = delta(now.sent, before.sent, name);
  const refused = delta(now.refused, before.refused, name);
  if (sent > 0) {
    return `✓ ${name}: accepted; confirm that it arrived\n`;
  }
  return refused > 0
    ? `✗ ${name}: refused or not answered ${refused} times; kubectl -n observability logs sts/alertmanager-metrics-alertmanager says why\n`
    : `✗ ${name}: nothing was sent in time; a NetworkPolicy that drops it looks the same: check networks and port of the receiver\n`;
}

function delta(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>, name: string): number {
  return (now[name] ?? 0) - (before[name] ?? 0);
}
