/** Pods of a group over nodes on this machine: each with a network, an address and the names of the others, as LeaderWorkerSet's pods have them. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PodNetwork } from "../../rehearsal/cluster/kubelet/network";
import type { Program } from "../../rehearsal/cluster/lifeline";
import type { LivenessProbe } from "./kubelet";

const [GROUP, DOMAIN] = ["vllm-tiny-0", "vllm-tiny.model-tiny"];

export interface GroupPod {
  readonly address: string;
  /** What LeaderWorkerSet puts into its containers. */
  readonly env: Readonly<Record<string, string>>;
  /** A command as it runs in the pod. */
  inside(command: readonly string[]): string[];
}

export class GroupPods {
  private constructor(
    private readonly network: PodNetwork,
    private readonly holders: readonly Program[],
    /** The leader, then the workers. */
    readonly pods: readonly GroupPod[],
  ) {}

  static async start(size: number): Promise<GroupPods> {
    const network = await PodNetwork.start();
    const made = [];
    for (let index = 0; index < size; index++) {
      made.push(await network.addPod(join(network.folder, `${index}.log`)));
    }
    const names = made.map(({ address }, index) => `${address} ${nameOf(index)}`);
    const pods = made.map(({ pid, address }, index): GroupPod => {
      const hosts = hostsFile(network, index);
      writeFileSync(hosts, ["127.0.0.1 localhost", `${address} ${hostname()}`, ...names, ""].join("\n"));
      const enter = ["nsenter", `--net=/proc/${pid}/ns/net`, "unshare", "--mount"];
      const name = ["/bin/sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts];
      return {
        address,
        env: {
          LWS_GROUP_SIZE: `${size}`,
          LWS_LEADER_ADDRESS: nameOf(0),
          LWS_WORKER_INDEX: `${index}`,
          VLLM_HOST_IP: address,
        },
        inside: (command) => [...enter, ...name, ...command],
      };
    });
    return new GroupPods(
      network,
      made.map(({ holder }) => holder),
      pods,
    );
  }

  /** What is sent to the pod and by it is lost from now on. */
  async cut({ address }: GroupPod): Promise<void> {
    await this.network.cut(address);
  }

  /** The name server of the cluster fails. */
  forgetNames(): void {
    for (const index of this.pods.keys()) {
      writeFileSync(hostsFile(this.network, index), "127.0.0.1 localhost\n");
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.holders.map((holder) => holder.stop()));
    await this.network.stop();
  }
}

function hostsFile({ folder }: PodNetwork, index: number): string {
  return join(folder, `${index}.hosts`);
}

function nameOf(index: number): string {
  return `${GROUP}${index > 0 ? `-${index}` : ""}.${DOMAIN}`;
}

const ASK =
  "import sys, urllib.request as r; r.build_opener(r.ProxyHandler({})).open(sys.argv[1], timeout=float(sys.argv[2]))";

/** One probe of a container, from within its pod: by HTTP, or by its command. */
export function probedIn(pod: GroupPod, { httpGet, exec, timeoutSeconds }: LivenessProbe): () => Promise<boolean> {
  const http = ["python3", "-c", ASK, `http://${pod.address}:${httpGet?.port}${httpGet?.path}`, `${timeoutSeconds}`];
  return async () => (await run(pod, exec?.command ?? http, timeoutSeconds)) === 0;
}

/** @returns the status of a command in a pod; null where it took longer. */
export function run(pod: GroupPod, command: readonly string[], seconds: number): Promise<number | null> {
  const [program = "", ...words] = pod.inside(command);
  const child = spawn(program, words, { timeout: seconds * 1000, killSignal: "SIGKILL", stdio: "ignore" });
  return new Promise((resolve) => child.on("close", resolve));
}
