import { Document, Scalar, visit } from "yaml";
import type { HelmValues } from "../core/chart-release";
import {
  type AlertReceivers,
  type AlertSecretKey,
  type AlertSecretValues,
  type PagedSeverity,
  PEOPLE_KINDS,
  RECEIVER_SECRETS,
  receiverBlock,
  usableReceivers,
} from "./alert-receivers";

/** Alertmanager's configuration as text, `alertmanager.yaml`, for a Secret: it holds addresses and keys. */
export function alertmanagerConfig(receivers: AlertReceivers, secrets: AlertSecretValues): string {
  const document = new Document(alertRouting(receivers, secrets));
  const values = Object.values(secrets);
  visit(document, {
    // Any text stays text; and where the file becomes a template, the renderer sees that the value is in quotes.
    Scalar: (_key, node) => {
      if (values.some((value) => value === node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  // A folded value is no longer one piece of text.
  return document.toString({ lineWidth: 0 });
}

/** Interval of the heartbeat. Services that watch it should wait three of them. */
const HEARTBEAT_INTERVAL = "1m";
/** What is due at a tick must have become due before it, or each second one is left out (Alertmanager's dedup stage). */
const HEARTBEAT_REPEAT = "30s";

/**
 * Alertmanager's configuration: each alert to every receiver that takes its severity. Without receivers alerts are visible in
 * Alertmanager and Grafana only. A receiver whose secret is missing is left out.
 */
export function alertRouting(receivers: AlertReceivers = {}, secrets: AlertSecretValues = {}): AlertRouting {
  const usable = usableReceivers(receivers, Object.keys(secrets) as AlertSecretKey[]);
  const people = PEOPLE_KINDS.filter((kind) => usable.includes(kind));
  return {
    route: {
      receiver: NOBODY,
      group_by: [...GROUP_BY],
      group_wait: "30s",
      group_interval: "5m",
      repeat_interval: "12h",
      routes: [
        // Watchdog always fires, to prove the chain.
        ...(usable.includes("heartbeat")
          ? [
              {
                receiver: "heartbeat",
                matchers: ['alertname = "Watchdog"'],
                group_wait: "0s",
                group_interval: HEARTBEAT_INTERVAL,
                repeat_interval: HEARTBEAT_REPEAT,
              },
            ]
          : []),
        // Info alerts are for dashboards and reports.
        { receiver: NOBODY, matchers: ['alertname =~ "Watchdog|InfoInhibitor"'] },
        { receiver: NOBODY, matchers: ['severity = "info"'] },
        ...people.flatMap((kind) => routesTo(kind, receivers[kind]?.severities ?? [])),
      ],
    },
    inhibit_rules: [
      // A model that is down explains its queue and its latency.
      {
        source_matchers: ['alertname = "ModelUnavailable"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["namespace"],
      },
      // And its failed requests: one page for one dead model.
      {
        source_matchers: ['alertname = "ModelUnavailable"'],
        target_matchers: ['alertname =~ "ModelRequestsFailing|ModelSilent|ErrorBudgetBurns.*"'],
        equal: ["model"],
      },
      {
        source_matchers: ['severity = "critical"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["alertname", "namespace", ...THING],
      },
    ],
    receivers: [
      { name: NOBODY },
      ...usable.flatMap((kind): HelmValues[] => {
        const settings = receivers[kind];
        return settings === undefined ? [] : [receiverBlock(kind, settings, secrets[RECEIVER_SECRETS[kind]] ?? "")];
      }),
    ],
  };
}

const NOBODY = "nobody";

/** PagerDuty's key of an incident is made of these: environments that share a service must not close each other's. */
const GROUP_BY = ["environment", "cluster", "alertname", "namespace", "model"] as const;

/**
 * Faults of one machine: those of a second one are an incident of their own, which a group by namespace would hide. An
 * outage of all nodes is one incident: its alerts are of targets and models, or, as NodeNotReady, warnings.
 */
const MACHINE_FAULTS: readonly HelmValues[] = [
  // The address of an exporter's pod changes when it restarts, which is no other failure; the nodes' own exporter has the node's.
  { matchers: ['job = "node-exporter"'], group_by: [...GROUP_BY, "instance"] },
  // Certificates of kubelets fail to be renewed together.
  { matchers: ['node != ""', 'job != "kubelet"'], group_by: [...GROUP_BY, "node"] },
];

/**
 * What alerts of one name and namespace may be about, as labels of the chart's rules that exist in both severities. A label
 * that both alerts lack counts as equal (prometheus/alertmanager, docs/configuration.md, "Inhibition-related settings").
 */
const THING = ["node", "instance", "device", "mountpoint", "persistentvolumeclaim"] as const;

/** `continue`: the other receivers get it too. What has no severity, as other teams' alerts, is a warning. */
function routesTo(receiver: string, severities: readonly PagedSeverity[]): HelmValues[] {
  const routes: Readonly<Record<PagedSeverity, HelmValues>> = {
    critical: {
      matchers: ['severity = "critical"'],
      group_wait: "10s",
      repeat_interval: "1h",
      routes: [...MACHINE_FAULTS],
    },
    warning: { matchers: ['severity != "critical"'] },
  };
  return severities.map((severity) => ({ receiver, ...routes[severity], continue: true }));
}

/** The parts of Alertmanager's configuration that we set, as values of its chart. */
type AlertRouting = {
  readonly route: HelmValues;
  readonly inhibit_rules: readonly HelmValues[];
  readonly receivers: readonly HelmValues[];
};
