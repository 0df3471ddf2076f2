import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AlertReceivers } from "../../../components/observability/alert-receivers";
import { alertmanagerConfig, alertRouting } from "../../../components/observability/alert-routing";
import { ALL_SUBJECTS } from "./all-subjects";
import { ALL_RECEIVERS, RECEIVER_VALUES, REMOTE_RECEIVERS } from "./receivers";

const WITHOUT = alertRouting();

describe("alertRouting", () => {
  it("sends each severity to the receivers that take it, and the heartbeat to its own", () => {
    const { route } = alertRouting(ALL_RECEIVERS, RECEIVER_VALUES);
    const routes = route.routes as { receiver: string; matchers: string[]; continue?: boolean }[];
    const to = (receiver: string) =>
      routes.filter((each) => each.receiver === receiver).map(({ matchers }) => matchers);
    expect(to("heartbeat")).toEqual([['alertname = "Watchdog"']]);
    expect(to("pagerduty")).toEqual([['severity = "critical"']]);
    expect(to("slack")).toEqual([['severity = "critical"'], ['severity != "critical"']]);
    expect(to("nobody")).toEqual([['alertname =~ "Watchdog|InfoInhibitor"'], ['severity = "info"']]);
    expect(routes.filter(({ receiver }) => receiver === "email").every((each) => each.continue)).toBe(true);
  });

  it("reaches no one without receivers", () => {
    expect(WITHOUT.receivers).toEqual([{ name: "nobody" }]);
    expect(WITHOUT.route.receiver).toBe("nobody");
  });

  it("leaves out a receiver whose secret is missing, but not a mail server without authentication", () => {
    const { username: _username, ...open } = ALL_RECEIVERS.email;
    const { receivers } = alertRouting({ ...ALL_RECEIVERS, email: open });
    expect(receivers.map(({ name }) => name)).toEqual(["nobody", "email"]);
  });

  it.each<[string, AlertReceivers]>([
    ["all", ALL_RECEIVERS],
    ["none", {}],
  ])("names only receivers that exist, with %s", (_name, receivers) => {
    const config = alertRouting(receivers, RECEIVER_VALUES);
    const names = config.receivers.map(({ name }) => name);
    const routes = config.route.routes as { receiver: string }[];
    expect(routes.map(({ receiver }) => receiver).filter((name) => !names.includes(name))).toEqual([]);
  });
});

type Labels = Readonly<Record<string, string>>;
interface Route {
  readonly receiver?: string;
  readonly matchers?: readonly string[];
  readonly group_by?: readonly string[];
  readonly routes?: readonly Route[];
}

/** As Alertmanager matches: a label that is missing is empty, and expressions hold for the whole value. */
function matches(labels: Labels, matcher: string): boolean {
  const [, name = "", operator = "", wanted = ""] = /^(\w+) (=|!=|=~|!~) "(.*)"$/.exec(matcher) ?? [];
  const value = labels[name] ?? "";
  const isMatch = operator.endsWith("~") ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted;
  return operator.startsWith("!") ? !isMatch : isMatch;
}

/** Labels by which a receiver's alerts are grouped: those of the deepest route that takes the alert. */
function groupsBy(receiver: string, labels: Labels): readonly string[] | undefined {
  const takes = (route: Route) => (route.matchers ?? []).every((matcher) => matches(labels, matcher));
  const deepest = (route: Route, inherited: readonly string[]): readonly string[] => {
    const own = route.group_by ?? inherited;
    const child = route.routes?.find(takes);
    return child === undefined ? own : deepest(child, own);
  };
  const root = alertRouting(ALL_RECEIVERS, RECEIVER_VALUES).route as Route;
  const route = root.routes?.find((each) => each.receiver === receiver && takes(each));
  return route && deepest(route, root.group_by ?? []);
}

describe("groups of alerts", () => {
  const BASE = ["environment", "cluster", "alertname", "namespace", "model"];
  const ALERTS = ALL_SUBJECTS.flatMap(({ alerts }) => alerts);
  const criticals = ALERTS.filter(({ severity }) => severity === "critical");
  const groupOf = ({ alert, severity, cases }: (typeof ALERTS)[number], receiver = "pagerduty") =>
    groupsBy(receiver, { alertname: alert, severity, ...cases.fires.labels });

  it.each(criticals.map((rule) => [rule.alert, rule] as const))(
    "%s pages for each node that it names",
    (_alert, rule) => {
      const isOfNode = "node" in rule.cases.fires.labels;
      expect(groupOf(rule)).toEqual(isOfNode ? [...BASE, "node"] : BASE);
      // A machine without a node's name would be grouped by no label.
      expect("instance" in rule.cases.fires.labels && !isOfNode).toBe(false);
    },
  );

  it("are of all nodes for warnings, which an outage of the cluster raises for each of them", () => {
    const warnings = ALERTS.filter(({ severity }) => severity === "warning");
    expect(warnings.some(({ cases }) => "node" in cases.fires.labels)).toBe(true);
    expect(warnings.filter((rule) => groupOf(rule, "slack")?.join() !== BASE.join())).toEqual([]);
  });

  it.each([
    ["a node's file system", { job: "node-exporter", instance: "10.0.0.1:9100" }, [...BASE, "instance"]],
    ["certificates of kubelets", { job: "kubelet", node: "gpu-1", instance: "10.0.0.1:10250" }, BASE],
    ["an API server", { job: "apiserver", instance: "10.0.0.1:6443" }, BASE],
  ])("of the chart, about %s", (_name, labels, expected) => {
    expect(groupsBy("pagerduty", { alertname: "A", severity: "critical", ...labels })).toEqual(expected);
  });
});

describe("inhibition", () => {
  const rule = WITHOUT.inhibit_rules.at(-1) as Record<"source_matchers" | "target_matchers" | "equal", string[]>;
  const mutes = (source: Labels, target: Labels) =>
    rule.source_matchers.every((matcher) => matches({ severity: "critical", ...source }, matcher)) &&
    rule.target_matchers.every((matcher) => matches({ severity: "warning", ...target }, matcher)) &&
    rule.equal.every((label) => (source[label] ?? "") === (target[label] ?? ""));
  const DISK = {
    alertname: "NodeFilesystemAlmostOutOfSpace",
    namespace: "node-metrics",
    instance: "a",
    device: "/dev/a",
  };
  const CLAIM = {
    alertname: "KubePersistentVolumeInodesFillingUp",
    namespace: "model-store",
    persistentvolumeclaim: "a",
  };

  it.each<[string, Labels, Labels, boolean]>([
    ["the same file system", DISK, DISK, true],
    ["another node's", DISK, { ...DISK, instance: "b" }, false],
    ["another of the same node", DISK, { ...DISK, device: "/dev/b" }, false],
    ["another claim of the namespace", CLAIM, { ...CLAIM, persistentvolumeclaim: "b" }, false],
    ["the same alert without labels of a thing", { alertname: "A" }, { alertname: "A" }, true],
  ])("of a warning by a critical alert of %s", (_name, source, target, expected) => {
    expect(mutes(source, target)).toBe(expected);
  });
});

describe("receivers behind a proxy, with authorities of their own", () => {
  const { receivers } = alertRouting(REMOTE_RECEIVERS, RECEIVER_VALUES);
  const settingsOf = (kind: string, key: string) =>
    (receivers.find(({ name }) => name === kind) as Record<string, Record<string, unknown>[]> | undefined)?.[key]?.[0];

  it.each([
    ["webhook", "webhook_configs"],
    ["slack", "slack_configs"],
    ["pagerduty", "pagerduty_configs"],
    ["heartbeat", "webhook_configs"],
  ])("are %s by http_config", (kind, key) => {
    expect(settingsOf(kind, key)?.http_config).toEqual({
      proxy_url: "http://proxy.example.com:3128",
      tls_config: { ca_file: `/etc/alertmanager/configmaps/alertmanager-authorities/${kind}.pem` },
    });
  });

  it("are email by tls_config", () => {
    expect(settingsOf("email", "email_configs")?.tls_config).toEqual({
      ca_file: "/etc/alertmanager/configmaps/alertmanager-authorities/email.pem",
    });
  });
});

describe("alertmanagerConfig", () => {
  it("quotes every secret, whatever it holds", () => {
    const text = alertmanagerConfig(ALL_RECEIVERS, { ...RECEIVER_VALUES, alertEmailPassword: "yes: #1" });
    expect(text).toContain(`url: "${RECEIVER_VALUES.alertWebhookUrl}"`);
    expect(text).toContain('auth_password: "yes: #1"');
    const email = parse(text).receivers.find(({ name }: { name: string }) => name === "email");
    expect(email.email_configs).toEqual([
      {
        to: "on-call@example.com, team@example.com",
        from: "alerts@example.com",
        smarthost: "smtp.example.com:587",
        require_tls: true,
        send_resolved: true,
        auth_username: "alerts",
        auth_password: "yes: #1",
      },
    ]);
  });

  it("sends resolved alerts to people and no resolved heartbeat", () => {
    const { receivers } = parse(alertmanagerConfig(ALL_RECEIVERS, RECEIVER_VALUES));
    const resolved = Object.fromEntries(
      receivers.slice(1).map((each: Record<string, unknown>) => {
        const [list] = Object.values(each).filter(Array.isArray);
        return [each.name, list?.[0].send_resolved];
      }),
    );
    expect(resolved).toEqual({ webhook: true, slack: true, pagerduty: true, email: true, heartbeat: false });
  });
});
