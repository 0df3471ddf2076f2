/**
 * The real Prometheus operator, and a Prometheus with the configuration that it makes of the rendered monitors and rules. Debian's Prometheus has
 * no discovery of Kubernetes: files have what that would say of the API server's pods.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../../kubernetes/object";
import { OBSERVABILITY_NAMESPACE } from "../../../names/namespaces";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { accessOf } from "../../../rehearsal/cluster/kubeconfig";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";

const GROUP = "monitoring.coreos.com";
/** The operator watches these where the API server has them. */
const KINDS = ["Prometheus", "PodMonitor", "ServiceMonitor", "Probe", "ScrapeConfig", "PrometheusRule"];
const NAME = "platform";

/** @throws Error with the operator's log where it does not start. */
export async function runOperator(plane: ControlPlane): Promise<void> {
  await installChartCrds(plane.client, "prometheus-operator-crds", new Set(KINDS.map((kind) => `${kind}.${GROUP}`)));
  const [port = 0] = await freePorts(1);
  const operator = plane.run(requirePart("prometheus-operator"), [`--web.listen-address=127.0.0.1:${port}`], {
    KUBECONFIG: plane.kubeconfig,
  });
  await operator.ready(async () => ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok ? true : undefined));
}

/** As Debian has it: "2.42.0". */
function prometheusVersion(): string {
  const text = execFileSync(requirePart("prometheus"), ["--version"], { encoding: "utf8" });
  return /version (?<version>\d+\.\d+\.\d+)/.exec(text)?.groups?.version ?? "";
}

/** What the chart makes of its values: an empty selector is all, without `…NilUsesHelmValues`. */
function prometheusOf(plane: ControlPlane, values: Readonly<Record<string, unknown>>): KubernetesObject {
  const { address, port, token } = accessOf(readFileSync(plane.kubeconfig, "utf8"));
  const ofCustomResource = [
    "externalLabels",
    "replicas",
    "retention",
    "retentionSize",
    "scrapeInterval",
    "walCompression",
  ];
  const kept = Object.entries(values).filter(([key]) => ofCustomResource.includes(key));
  const all = ["podMonitor", "serviceMonitor", "probe", "rule", "scrapeConfig"].flatMap((kind) => [
    [`${kind}Selector`, {}],
    [`${kind}NamespaceSelector`, {}],
  ]);
  return {
    apiVersion: `${GROUP}/v1`,
    kind: "Prometheus",
    metadata: { name: NAME, namespace: OBSERVABILITY_NAMESPACE },
    spec: {
      ...Object.fromEntries([...kept, ...all]),
      version: `v${prometheusVersion()}`,
      // It runs outside of the cluster.
      apiserverConfig: {
        host: `https://${address}:${port}`,
        bearerToken: token,
        tlsConfig: { caFile: plane.certificate.certificate },
      },
    },
  };
}

export interface DiscoveringPrometheus {
  /** An answer of its HTTP API. */
  readonly ask: <T>(path: string) => Promise<T>;
  /** Finds the pods that the API server has now. */
  readonly discover: () => Promise<void>;
}

interface ScrapeConfig {
  readonly job_name: string;
  readonly kubernetes_sd_configs: readonly {
    readonly role: string;
    readonly namespaces: { readonly names: string[] };
  }[];
}

/** @param values `prometheusSpec` of the chart. @throws Error with the log of a Prometheus that refuses its configuration. */
export async function runPrometheus(
  plane: ControlPlane,
  values: Readonly<Record<string, unknown>>,
): Promise<DiscoveringPrometheus> {
  const prometheus = prometheusOf(plane, values);
  await plane.client.apply(prometheus);
  const secret = await dataOf(plane, "Secret", `prometheus-${NAME}`);
  const rules = await dataOf(plane, "ConfigMap", `prometheus-${NAME}-rulefiles-0`);
  const folder = join(plane.folder, "prometheus-rules");
  mkdirSync(folder);
  for (const [file, text] of Object.entries(rules)) {
    writeFileSync(join(folder, file), text);
  }
  const config = join(plane.folder, "prometheus.yaml");
  const made = gunzipSync(Buffer.from(secret["prometheus.yaml.gz"] ?? "", "base64")).toString("utf8");
  // What the reloader beside it does, and where its volume is.
  const here = made
    .replaceAll("$(POD_NAME)", `prometheus-${NAME}-0`)
    .replaceAll("$(SHARD)", "0")
    .replaceAll(`/etc/prometheus/rules/prometheus-${NAME}-rulefiles-0`, folder);
  const { scrape_configs: scrapes, ...others } = parse(here) as { readonly scrape_configs: readonly ScrapeConfig[] };
  const fileOf = (index: number) => join(plane.folder, `targets-${index}.json`);
  const discover = async () => {
    const pods = (await plane.client.list("v1", "Pod")) as unknown as readonly DiscoveredPod[];
    for (const [index, { kubernetes_sd_configs: discoveries }] of scrapes.entries()) {
      const namespaces = discoveries.flatMap((each) => each.namespaces.names);
      const groups = pods.filter(({ metadata }) => namespaces.includes(metadata.namespace)).flatMap(targetsOf);
      writeFileSync(fileOf(index), JSON.stringify(groups));
    }
  };
  await discover();
  const read = scrapes.map(({ kubernetes_sd_configs: _, ...scrape }, index) => ({
    ...scrape,
    file_sd_configs: [{ files: [fileOf(index)], refresh_interval: "5s" }],
  }));
  writeFileSync(config, stringify({ ...others, scrape_configs: read }));
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const program = plane.run(requirePart("prometheus"), [
    `--config.file=${config}`,
    `--web.listen-address=127.0.0.1:${port}`,
    `--storage.tsdb.path=${join(plane.folder, "prometheus")}`,
    "--log.level=warn",
  ]);
  await program.ready(async () => ((await fetch(`${url}/-/ready`)).ok ? true : undefined));
  const ask = async <T>(path: string) => {
    const { status, data, error } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      readonly status: string;
      readonly data: T;
      readonly error?: string;
    };
    if (status !== "success") {
      throw new Error(`${path}: ${error}`);
    }
    return data;
  };
  return { ask, discover };
}

/** Waits for what the operator makes. */
function dataOf(plane: ControlPlane, kind: string, name: string): Promise<Readonly<Record<string, string>>> {
  const object = { apiVersion: "v1", kind, metadata: { name, namespace: OBSERVABILITY_NAMESPACE } };
  return waitFor(`the operator's ${kind} ${name}`, async () => {
    const { data } = ((await plane.client.get(object)) ?? {}) as { readonly data?: Readonly<Record<string, string>> };
    return data;
  });
}

interface DiscoveredPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly DiscoveredContainer[];
    readonly initContainers?: readonly DiscoveredContainer[];
  };
  readonly status: { readonly podIP?: string; readonly phase?: string };
}

interface DiscoveredContainer {
  readonly name: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

/** A target for each port of each container, by the labels that Prometheus documents for the role `pod`. */
function targetsOf({ metadata, spec, status }: DiscoveredPod): object[] {
  const { podIP = "", phase = "" } = status;
  const labels = Object.entries(metadata.labels ?? {}).flatMap(([label, value]) => {
    const name = label.replace(/[^a-zA-Z0-9_]/g, "_");
    return [
      [`__meta_kubernetes_pod_label_${name}`, value],
      [`__meta_kubernetes_pod_labelpresent_${name}`, "true"],
    ];
  });
  const ofPod = {
    __meta_kubernetes_namespace: metadata.namespace,
    __meta_kubernetes_pod_name: metadata.name,
    __meta_kubernetes_pod_ip: podIP,
    __meta_kubernetes_pod_phase: phase,
    __meta_kubernetes_pod_node_name: spec.nodeName ?? "",
    ...Object.fromEntries(labels),
  };
  const ofContainers = (containers: readonly DiscoveredContainer[], isInit: boolean) =>
    containers.flatMap(({ name, ports = [] }) =>
      ports.map((port) => ({
        targets: [`${podIP}:${port.containerPort}`],
        labels: {
          ...ofPod,
          __meta_kubernetes_pod_container_init: String(isInit),
          __meta_kubernetes_pod_container_name: name,
          __meta_kubernetes_pod_container_port_name: port.name ?? "",
          __meta_kubernetes_pod_container_port_number: String(port.containerPort),
          __meta_kubernetes_pod_container_port_protocol: "TCP",
        },
      })),
    );
  return [...ofContainers(spec.containers, false), ...ofContainers(spec.initContainers ?? [], true)];
}
