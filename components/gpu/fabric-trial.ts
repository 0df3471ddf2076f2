import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { testProgram } from "../../catalog/fabrics";
import { image } from "../../catalog/images";
import { ANNOTATIONS } from "../../names/labels";
import { UNCERTIFIED } from "../../planner/fabric-gate";
import type { GpuAccess } from "../core/gpu-access";
import { type HardenedPodArgs, hardenedPodSpec } from "../core/hardened-pod";
import { type GatedPool, TRIAL_PRIORITY, TRIAL_SERVICE } from "./names";

export const GIB = 2 ** 30;
/** Test message sizes, GiB: cards with 40 GB cannot hold three copies of larger ones. */
export const MESSAGES_GIB = { smallest: 1, largest: 8 };
/**
 * GPU memory of a trial, GiB: sent, received and expected message (nccl-tests, src/common.cu,
 * AllocateBuffs), library buffers and driver context. `most` is an upper bound, not measured.
 */
const CARD_GIB = { total: 3 * MESSAGES_GIB.largest + 2, most: 3 * MESSAGES_GIB.largest + 8 };
/** The test takes a minute, starting it another. */
export const TRIAL_SECONDS = 300;
/** Seconds for the second pod to answer: it may still pull its image. */
export const PATIENCE_SECONDS = 900;

const HOME = "/trial";
const KEYS = "/keys";
export const USER = 65532;
/** Also open on the node with host networking; no Kubernetes component uses it. */
export const SSH_PORT = 2222;
/**
 * Pod interface name in container networks, and first interface of Oracle's nodes
 * (catalog/fabrics.json).
 */
const INTERFACE = "eth0";

/** Host memory per rank: staging buffers and library memory, with margin. */
const RANK_GIB = 4;

export interface TrialMounts {
  /** ConfigMap with the files of `trialFiles`. */
  readonly files: pulumi.Input<string>;
  /** ConfigMap with trial.sh. */
  readonly scripts: kubernetes.types.input.core.v1.Volume;
  readonly scriptsMount: kubernetes.types.input.core.v1.VolumeMount;
  /** Secret with the files of `TrialKeys`, by `KEY_FILES`. */
  readonly keys: pulumi.Input<string>;
}

export const KEY_FILES = {
  client: "client",
  host: "host",
  authorizedKeys: "authorized_keys",
  knownHosts: "known_hosts",
};

/**
 * sshd as the pod's unprivileged user, who is the only one it admits. It then needs no PAM, shadow
 * file or privilege separation user (openssh-portable, sshd.c and auth.c).
 */
export function trialFiles(): Record<string, string> {
  return {
    // Both sides look up their user.
    users: ["root:x:0:0:root:/root:/usr/sbin/nologin", `trial:x:${USER}:${USER}:trial:${HOME}:/bin/bash`, ""].join(
      "\n",
    ),
    sshd_config: [
      `Port ${SSH_PORT}`,
      `HostKey ${KEYS}/${KEY_FILES.host}`,
      `AuthorizedKeysFile ${KEYS}/${KEY_FILES.authorizedKeys}`,
      "AllowUsers trial",
      "AuthenticationMethods publickey",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UsePAM no",
      // Secret files belong to root, their folder to the pod's group.
      "StrictModes no",
      "PidFile none",
      "",
    ].join("\n"),
    ssh_config: [
      "Host *",
      "  User trial",
      `  Port ${SSH_PORT}`,
      `  IdentityFile ${KEYS}/${KEY_FILES.client}`,
      "  IdentitiesOnly yes",
      `  UserKnownHostsFile ${KEYS}/${KEY_FILES.knownHosts}`,
      "  StrictHostKeyChecking yes",
      "  UpdateHostKeys no",
      "  BatchMode yes",
      "  ConnectTimeout 5",
      "",
    ].join("\n"),
  };
}

/** Trial pod template of a pool; a certifier sets the nodes. */
export function trialTemplate(
  pool: GatedPool,
  mounts: TrialMounts,
  access: GpuAccess = {},
): { annotations: Record<string, string>; spec: kubernetes.types.input.core.v1.PodSpec } {
  const { fabric, shape, selector, taints } = pool;
  const { device } = fabric;
  const hostNetwork = fabric.access === "host-network";
  const networks = hostNetwork || device.network === undefined ? [] : Array(device.perNode).fill(device.network);
  const pod: HardenedPodArgs = {
    user: USER,
    nodeSelector: selector,
    tolerations: [...taints, UNCERTIFIED],
    priorityClassName: TRIAL_PRIORITY,
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 5,
    hostNetwork,
    ...(access.runtimeClass !== undefined && { runtimeClassName: access.runtimeClass }),
    ...(access.groups && { supplementalGroups: access.groups }),
    volumes: [
      mounts.scripts,
      { name: "files", configMap: { name: mounts.files, defaultMode: 0o444 } },
      { name: "keys", secret: { secretName: mounts.keys, defaultMode: 0o440 } },
      { name: "shm", emptyDir: { medium: "Memory", sizeLimit: `${gpusOf(pool)}Gi` } },
    ],
    containers: [
      {
        name: "trial",
        image: image(pool.fabricGate.image),
        command: ["/bin/bash", "/scripts/trial.sh"],
        env: trialVariables(pool, access),
        resources: trialResources(pool),
        hostDevices: hostNetwork,
        writablePaths: ["/tmp"],
        volumeMounts: [
          mounts.scriptsMount,
          { name: "files", mountPath: "/etc/passwd", subPath: "users", readOnly: true },
          { name: "files", mountPath: `${HOME}/sshd_config`, subPath: "sshd_config", readOnly: true },
          { name: "files", mountPath: `${HOME}/.ssh/config`, subPath: "ssh_config", readOnly: true },
          { name: "keys", mountPath: KEYS, readOnly: true },
          { name: "shm", mountPath: "/dev/shm" },
        ],
      },
    ],
  };
  const { gpu } = shape;
  if (gpu === undefined) {
    throw new Error(`pools.${pool.name}: ${shape.name} has no GPUs to try a network with`);
  }
  return {
    annotations: {
      ...(networks.length > 0 && { "k8s.v1.cni.cncf.io/networks": networks.join(",") }),
      [ANNOTATIONS.memoryTotalGiB]: CARD_GIB.total.toFixed(2),
      [ANNOTATIONS.memoryMostGiB]: CARD_GIB.most.toFixed(2),
      [ANNOTATIONS.memoryLimitGiB]: gpu.engineMemoryGiB.toFixed(2),
    },
    // Pods of an Indexed Job are <job>-0 and <job>-1, resolvable through the subdomain.
    spec: { ...hardenedPodSpec(pod), subdomain: TRIAL_SERVICE },
  };
}

function trialVariables({ fabric, ...pool }: GatedPool, access: GpuAccess): kubernetes.types.input.core.v1.EnvVar[] {
  const ofProcesses = { ...fabric.environment, NCCL_DEBUG: "WARN", ...access.environment };
  const settings = {
    HOME,
    TRIAL_GPUS: String(pool.shape.gpu?.count ?? 0),
    TRIAL_SECONDS: String(TRIAL_SECONDS),
    TRIAL_PATIENCE: String(PATIENCE_SECONDS),
    TRIAL_BINARY: testProgram(pool.fabricGate.image),
    TRIAL_SMALLEST: `${MESSAGES_GIB.smallest}G`,
    TRIAL_LARGEST: `${MESSAGES_GIB.largest}G`,
    TRIAL_INTERFACE: INTERFACE,
    TRIAL_MESSAGE: "/dev/termination-log",
    TRIAL_VARIABLES: Object.keys(ofProcesses).join(" "),
  };
  const label = (key: string) => ({ fieldRef: { fieldPath: `metadata.labels['${key}']` } });
  return [
    { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "TRIAL_JOB", valueFrom: label("batch.kubernetes.io/job-name") },
    { name: "TRIAL_PEER", value: `$(TRIAL_JOB)-1.${TRIAL_SERVICE}` },
    ...Object.entries({ ...ofProcesses, ...settings }).map(([name, value]) => ({ name, value })),
  ];
}

/**
 * All GPUs and devices of the node, with CPU and memory that every node has available. Requests are
 * below limits on purpose: the kubelet rejects fewer pinned CPUs than NUMA nodes of the GPUs.
 */
function trialResources(pool: GatedPool) {
  const gpus = gpusOf(pool);
  const { device, access } = pool.fabric;
  const devices = {
    ...(pool.shape.gpu && { [pool.shape.gpu.resource]: String(gpus) }),
    ...(access !== "host-network" && { [device.resource]: String(device.perNode) }),
  };
  const memory = `${gpus * (RANK_GIB + 1)}Gi`;
  return {
    requests: { cpu: String(gpus), memory, "ephemeral-storage": "1Gi", ...devices },
    limits: { cpu: String(4 * gpus), memory, "ephemeral-storage": "2Gi", ...devices },
  };
}

function gpusOf({ shape }: GatedPool): number {
  return shape.gpu?.count ?? 0;
}
