/** What stands around each part that manages the cluster or is its chat page: policies, networks, alerts, runbook, dashboard. */
import { beforeAll, describe, expect, it } from "vitest";
import { platformOverview } from "../../../components/observability/dashboards/platform-overview";
import * as namespaces from "../../../names/namespaces";
import { shippedText } from "../../../names/shipped-file";
import { judge } from "../../../report/judge";
import { ADDON_ALERTS } from "../../../stacks/addons/watched";
import { parsePolicy } from "../../harness/network-policies";
import { changedRun, type ProgramRun } from "../run";

const gitops = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: "clusters/edge-nvidia",
};
const sections = {
  gitops,
  rancher: { acknowledgeClusterAdmin: true, url: "https://rancher.example.internal", networks: ["192.168.1.31/32"] },
  rancherToken: { secure: "v1:never-read" },
  gateway: {
    hostname: "inference.example.internal",
    tls: { kind: "secret", secretName: "gateway-tls" },
    consumers: { default: {}, "open-webui": { models: ["chat"] } },
  },
  openWebUi: {
    hostname: "chat.example.internal",
    adminEmail: "ops@example.internal",
    gatewayAuthorities: shippedText("test/fixtures/certificates/example-ca.pem"),
  },
  portainer: { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] },
};

interface Part {
  readonly namespace: string;
  /** Subject of its alerts. */
  readonly subject: string;
  /** Its page, and its section of the runbook. */
  readonly page: string;
  readonly section: string;
}

const PARTS: readonly Part[] = [
  { namespace: namespaces.ARGO_CD_NAMESPACE, subject: "argo-cd", page: "gitops.md", section: "Argo CD" },
  { namespace: namespaces.RANCHER_NAMESPACE, subject: "rancher", page: "rancher.md", section: "Rancher" },
  { namespace: namespaces.PORTAINER_NAMESPACE, subject: "portainer", page: "portainer.md", section: "Portainer" },
  { namespace: namespaces.OPEN_WEBUI_NAMESPACE, subject: "open-webui", page: "open-webui.md", section: "Chat page" },
];

describe.each(PARTS)("around $section", ({ namespace, subject, page, section }) => {
  let run: ProgramRun;
  let verdict: ReturnType<typeof judge>;
  beforeAll(async () => {
    run = await shared();
    verdict = judge(run);
  });

  it("policies judge it, and none forbids it", () => {
    expect(verdict.policies.failed).toBe(0);
    expect(verdict.violations.filter(({ severity }) => severity === "mandatory")).toEqual([]);
  });

  it("its namespace is closed both ways, and what is open names who needs it", () => {
    const policies = run.deployment
      .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
      .map(({ inputs }) => parsePolicy(inputs))
      .filter(({ metadata }) => metadata.namespace === namespace);
    const closes = policies.filter(({ spec }) => Object.keys(spec.podSelector.matchLabels).length === 0);
    expect(closes.flatMap(({ spec }) => spec.policyTypes).toSorted()).toEqual(
      expect.arrayContaining(["Egress", "Ingress"]),
    );
    expect(policies.length).toBeGreaterThan(1);
  });

  it("alerts watch it, each with an entry of the runbook below its page", () => {
    const alerts = ADDON_ALERTS.filter((each) => each.subject === subject).flatMap((each) => each.alerts);
    const [, own = ""] = shippedText("docs/operations.md").split(`\n## ${section}\n`);
    const entries = own.split("\n## ")[0] ?? "";
    expect(alerts.length).toBeGreaterThan(0);
    expect(alerts.filter(({ alert }) => !entries.includes(`### ${alert}\n`))).toEqual([]);
    expect(entries).toContain(`(${page})`);
  });

  it("a row of the overview shows it", () => {
    const row = platformOverview.rows.find(({ title }) => title === "GitOps, cluster management and chat");
    const queries = row?.panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)) ?? [];
    expect(queries.filter((expr) => expr.includes(namespace)).length).toBeGreaterThan(1);
  });
});

let running: Promise<ProgramRun> | undefined;

function shared(): Promise<ProgramRun> {
  running ??= changedRun("edge-nvidia", sections);
  return running;
}
