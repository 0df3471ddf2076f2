import { advisoriesOf, type KnownAdvisory } from "../../../catalog/advisories";
import { mendedIn } from "../../../catalog/known-vulnerabilities";
import { LEAST_KERNEL } from "../../../catalog/kubernetes-versions";
import { OPERATORS } from "../../../catalog/sriov";
import { compareVersions } from "../../../names/versions";
import { someOf } from "../../cluster/foreign-text";
import type { Asked, DevicePodFact, NodeFact } from "../facts";
import type { PoolNeed } from "../needs";
import { type Check, judged, passed, type Verdict, warning } from "./check";
import { nodesOf } from "./pool-nodes";

/** NVIDIA GPU feature discovery (k8s-device-plugin v0.20.0, docs/gpu-feature-discovery). */
const DRIVER_LABEL = "nvidia.com/cuda.driver-version.full";
/** GPU Operator v26.7.0: repository of its toolkit image. */
const TOOLKIT_IMAGE = /(^|\/)container-toolkit:(?<tag>[^@]+)/;

/** Per pool: software below the engines. Drivers have their own check. */
export const nodeSoftware: Check = ({ nodes, devicePods }, { pools }) =>
  pools.map((need) =>
    judged(
      {
        check: "node-software",
        title: `Software on nodes of ${need.pool.name}`,
        needed: `a kernel ${LEAST_KERNEL} or newer, and no driver or container toolkit with published vulnerabilities`,
      },
      nodes,
      (all) => verdictOn(nodesOf(all, need), need, devicePods),
    ),
  );

function verdictOn(nodes: readonly NodeFact[], { pool }: PoolNeed, pods: Asked<readonly DevicePodFact[]>): Verdict {
  if (nodes.length === 0) {
    return passed("no node yet");
  }
  const isNvidia = pool.shape.gpu?.vendor === "nvidia";
  const kernels = distinct(nodes.map(({ kernelVersion }) => kernelVersion));
  const drivers = distinct(isNvidia ? nodes.map(({ labels }) => labels[DRIVER_LABEL]) : []);
  const toolkits = distinct(isNvidia && pods.known ? toolkitsOn(nodes, pods.value) : []);
  const found = [
    `kernel ${said(kernels)}`,
    said(distinct(nodes.map(({ containerRuntime }) => containerRuntime))),
    ...(isNvidia
      ? [`driver ${said(drivers)}`, toolkits.length > 0 ? `container toolkit ${said(toolkits)}` : OF_IMAGE]
      : []),
  ].join(", ");
  const remedies = [
    ...(kernels.some((kernel) => isOlder(kernel, LEAST_KERNEL))
      ? [`boot an image with kernel ${LEAST_KERNEL} or newer: cgroup v2, which kubelets need, needs it`]
      : []),
    ...drivers.flatMap((driver) => vulnerable("driver", driver, advisoriesOf("nvidia-driver", driver))),
    ...toolkits.flatMap((toolkit) =>
      vulnerable("container toolkit", toolkit, advisoriesOf("nvidia-container-toolkit", toolkit)),
    ),
  ];
  return remedies.length === 0 ? passed(found) : warning(found, ...remedies);
}

/** Not in the Kubernetes API. */
const OF_IMAGE = "container toolkit of the node's image (nvidia-ctk --version says which)";

function vulnerable(what: string, version: string, known: readonly KnownAdvisory[]): string[] {
  const fixed = mendedIn(known);
  return known.length === 0
    ? []
    : [
        `${what} ${version} has ${known.map(({ ids: [id] }) => id).join(", ")}: ${
          fixed === undefined ? "no release fixes it" : `boot an image with ${fixed} or newer, or install it`
        }`,
      ];
}

function toolkitsOn(nodes: readonly NodeFact[], pods: readonly DevicePodFact[]): (string | undefined)[] {
  const here = new Set(nodes.map(({ name }) => name));
  return pods
    .filter(({ labels, node }) => labels.app === OPERATORS.toolkit && node !== undefined && here.has(node))
    .flatMap(({ images }) => images.map((image) => TOOLKIT_IMAGE.exec(image)?.groups?.tag));
}

/** Simulated nodes have an arbitrary kernel text. */
function isOlder(kernel: string, least: string): boolean {
  return /^\d+\.\d+/.test(kernel) && compareVersions(kernel, least) < 0;
}

function distinct(versions: readonly (string | undefined)[]): string[] {
  return [...new Set(versions.flatMap((version) => version ?? []))].sort();
}

function said(versions: readonly string[]): string {
  return versions.length === 0 ? "not said" : someOf(versions);
}
