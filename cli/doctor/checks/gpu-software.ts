import { type ImageDriver, nvidiaDriverOf } from "../../../catalog/cuda-drivers";
import { imageEntry } from "../../../catalog/images";
import { GPU_SOFTWARE_NAMESPACE } from "../../../names/namespaces";
import { sharingLabels } from "../../../planner/slices";
import { someOf } from "../../cluster/foreign-text";
import type { ClusterFacts, NodeFact, WorkloadFact } from "../facts";
import type { Needs, PoolNeed } from "../needs";
import type { CheckResult } from "../result";
import { type Check, failed, judged, passed, unknown, type Verdict, warning } from "./check";
import { nodesOf } from "./pool-nodes";
import { quantity } from "./quantity";

/** Labels of NVIDIA's GPU feature discovery, older ones last. */
const DRIVER_LABELS = ["nvidia.com/cuda.driver-version.major", "nvidia.com/cuda.driver.major"];

/** Device plugins and their operators. */
const DEVICE_PLUGIN = /(^|\/)(k8s-device-plugin|gpu-operator)([:@]|$)/;

/** Whether the platform, or the cloud of a provisioned cluster, will install what nodes lack. */
export function softwareComes({ ownNamespaces }: ClusterFacts, { cluster }: Pick<Needs, "cluster">): boolean {
  if (cluster.provision !== "existing") {
    return cluster.kind === "oci";
  }
  const isThere = ownNamespaces.known && ownNamespaces.value.some(({ name }) => name === GPU_SOFTWARE_NAMESPACE);
  return cluster.gpuSoftware === "platform" && !isThere;
}

/** Per NVIDIA pool: a driver that supports the engines' images. */
export const gpuDrivers: Check = (facts, needs) =>
  needs.pools.flatMap((need): CheckResult[] => {
    const asked = oldestDriver(need);
    if (asked === undefined) {
      return [];
    }
    const { least, because, image } = asked;
    const subject = {
      check: "gpu-driver",
      title: `Driver of ${need.pool.name}`,
      needed: `NVIDIA's driver ${least} or newer, for ${because} in ${image}`,
    };
    return [
      judged(subject, facts.nodes, (nodes) => driverOf(nodesOf(nodes, need), least, softwareComes(facts, needs))),
    ];
  });

/** Newest driver required by the pool's images; undefined where unknown. */
function oldestDriver({ pool, pods }: PoolNeed): (ImageDriver & { readonly image: string }) | undefined {
  const { gpu } = pool.shape;
  if (gpu?.vendor !== "nvidia") {
    return undefined;
  }
  const asked = pods.flatMap(({ image, ownImage }) => {
    const entry = ownImage ?? (image === undefined ? undefined : imageEntry(image));
    const driver = entry && nvidiaDriverOf(entry, gpu.abilities?.computeCapability);
    return driver === undefined ? [] : [{ ...driver, image: ownImage?.reference ?? image ?? "" }];
  });
  return asked.sort((a, b) => b.least - a.least)[0];
}

function driverOf(nodes: readonly NodeFact[], least: number, comes: boolean): Verdict {
  if (nodes.length === 0) {
    return passed("no node yet");
  }
  const told = nodes.flatMap((node) => {
    const label = DRIVER_LABELS.map((key) => node.labels[key]).find((value) => /^\d+$/.test(value ?? ""));
    return label === undefined ? [] : [{ name: node.name, driver: Number(label) }];
  });
  const old = told.filter(({ driver }) => driver < least);
  if (old.length > 0) {
    return failed(
      `${someOf(old.map(({ name }) => name))}: driver ${Math.min(...old.map(({ driver }) => driver))}`,
      `boot a newer image, or install driver ${least} or newer on the machine`,
      "or run the engine in an image of an older CUDA: engineVersion under the model",
    );
  }
  if (told.length === 0) {
    return comes
      ? passed("not known yet: GPU feature discovery comes with the GPU software")
      : unknown(
          "no node says which it has",
          `nvidia-smi on a node names it: ${least} or newer is needed`,
          "NVIDIA's GPU feature discovery, a part of the GPU Operator and of its device plugin's chart, labels nodes with it",
        );
  }
  const newest = told.map(({ driver }) => driver);
  return told.length < nodes.length
    ? warning(
        `driver ${Math.min(...newest)} on ${told.length} of ${nodes.length} nodes; the others do not say`,
        "nvidia-smi on the others names it",
      )
    : passed(`driver ${Math.min(...newest)}`);
}

/** Per pool with RDMA: every node has the planned devices. */
export const rdmaDevices: Check = (facts, needs) =>
  needs.pools.flatMap((need): CheckResult[] => {
    const { fabric, name } = need.pool;
    if (fabric === undefined || fabric.access === "host-network") {
      return [];
    }
    const { resource, perNode } = fabric.device;
    const subject = {
      check: "rdma-devices",
      title: `RDMA devices of ${name}`,
      needed: `${perNode} × ${resource} on every node`,
    };
    return [
      judged(subject, facts.nodes, (nodes) => {
        const matching = nodesOf(nodes, need);
        const short = matching.filter(({ allocatable }) => (quantity(allocatable[resource] ?? "0") ?? 0) < perNode);
        if (short.length === 0) {
          return passed(matching.length === 0 ? "no node yet" : `on ${matching.length} nodes`);
        }
        if (softwareComes(facts, needs)) {
          return passed("not yet: they come with the GPU software");
        }
        const offered = quantity(short[0]?.allocatable[resource] ?? "0") ?? 0;
        return failed(
          `${offered} of ${perNode} on ${someOf(short.map((node) => node.name))}`,
          fabric.kind === "efa"
            ? "attach the machine's EFA interfaces (launch template), and install Amazon's EFA device plugin"
            : "install NVIDIA's network operator with a policy for the machine's RDMA ports (docs/rdma.md)",
          `without them: write access: host-network, or remove rdma under pools.${name}`,
        );
      }),
    ];
  });

/** Nodes with partitioned cards have the label. */
export const sharingIsLabelled: Check = (facts, needs) =>
  needs.pools.flatMap((need): CheckResult[] => {
    const [label] = Object.entries(sharingLabels(need.pool.sharing));
    if (label === undefined || needs.cluster.provision !== "existing") {
      return [];
    }
    const [key, value] = label;
    const subject = {
      check: "gpu-sharing",
      title: `Parts of GPUs of ${need.pool.name}`,
      needed: `nodes labelled ${key}=${value}`,
    };
    return [
      judged(subject, facts.nodes, (nodes) => {
        const without = nodesOf(nodes, need).filter(({ labels }) => labels[key] !== value);
        return without.length === 0
          ? passed("they are")
          : warning(
              `not so: ${someOf(without.map(({ name }) => name))}`,
              `kubectl label node ${without[0]?.name} --overwrite ${key}=${value}`,
              "where the cards are parted by other means, that they are counts: see the pool's own check",
            );
      }),
    ];
  });

/** Two device plugins would assign the same cards twice. */
export const oneDevicePlugin: Check = ({ daemonSets, deployments }, { cluster, pools }) =>
  cluster.gpuSoftware !== "platform" || !pools.some(({ pool }) => pool.shape.gpu)
    ? []
    : [
        judged(
          {
            check: "device-plugin",
            title: "Device plugins",
            needed: "none but the platform's (gpuSoftware: platform)",
          },
          daemonSets.known ? deployments : daemonSets,
          () => {
            const others = [daemonSets, deployments].flatMap((found) =>
              found.known ? found.value.filter(isPlugin) : [],
            );
            return others.length === 0
              ? passed("there is none of others")
              : failed(
                  `there are ${someOf(others.map(({ namespace, name }) => `${namespace}/${name}`))}`,
                  "remove them, and the add-on of your cloud that brings them; on OKE: the add-on NvidiaGpuPlugin",
                  "or keep them, and write gpuSoftware: present",
                );
          },
        ),
      ];

function isPlugin({ namespace, containers }: WorkloadFact): boolean {
  return namespace !== GPU_SOFTWARE_NAMESPACE && containers.some(({ image }) => DEVICE_PLUGIN.test(image));
}
