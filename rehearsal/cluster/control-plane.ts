import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { requirePart } from "../parts/find";
import { aggregationArgs } from "./aggregation";
import { ApiClient } from "./api-client";
import { kubeconfigOf } from "./kubeconfig";
import { Program } from "./lifeline";
import { freePorts } from "./ports";

export interface ControlPlaneOptions {
  /** Starts kube-controller-manager with all controllers, or only these. */
  readonly controllers?: boolean | readonly string[];
  /** Listen address of the API server. @default "127.0.0.1", loopback only */
  readonly address?: string;
  /** Enables aggregated API servers (aggregation.ts). @default false */
  readonly aggregation?: boolean;
  /** Additional kube-apiserver flags, such as hardening. @default none */
  readonly serverArgs?: readonly string[];
  /** Sync period of the HorizontalPodAutoscaler controller, a Go duration. @default "15s" */
  readonly autoscalingPeriod?: string;
  /**
   * Endpoint of an existing etcd-compatible server: `http://127.0.0.1:2379`.
   * @default starts an etcd
   */
  readonly datastore?: string;
}

/**
 * Go settings of these short-lived servers: collecting a small heap takes half of an API server's
 * CPU time for definitions. Measured 2026-11-23 with the gateways' kinds: 3.9 instead of 5.3 CPU
 * seconds. The limit restores normal collection later.
 */
const SHORT_LIVED = { GOGC: "400", GOMEMLIMIT: "1GiB" };

/** Paths of a server's self-signed certificate for its address, and its key (PEM). */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Etcd, or a given datastore, and kube-apiserver on free loopback ports, with a temporary folder
 * and default admission plugins.
 */
export class ControlPlane {
  private constructor(
    /** Kubeconfig of a cluster administrator. */
    readonly kubeconfig: string,
    readonly client: ApiClient,
    /** For data and logs of other programs; removed with the control plane. */
    readonly folder: string,
    private readonly programs: Program[],
    private readonly server: Program,
  ) {}

  /** The API server's certificate, which local webhooks may share. */
  get certificate(): ServerCertificate {
    const folder = certificateFolder(this.folder);
    return { certificate: join(folder, "apiserver.crt"), key: join(folder, "apiserver.key") };
  }

  /** @throws Error with the log of the program that failed to start. */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const programs: Program[] = [];
    try {
      return await startIn(folder, programs, options, (kubeconfig, client, server) => {
        return new ControlPlane(kubeconfig, client, folder, programs, server);
      });
    } catch (error) {
      await discard(folder, programs);
      throw error;
    }
  }

  /**
   * Starts a program that ends with the control plane.
   *
   * @param restarts whether it may restart: its exit then keeps the folder.
   */
  run(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { restarts = false } = {},
  ): Program {
    return begin(this.programs, this.folder, command, args, env, restarts);
  }

  /** Kills the API server, as a crash. Acknowledged writes are in the datastore. */
  async killApiServer(): Promise<void> {
    await this.server.stop();
  }

  /** Restarts the API server with its port and data; waits until ready. */
  async restartApiServer(): Promise<void> {
    this.server.restart();
    await this.server.ready(async () => {
      const { status } = await this.client.request("GET", "/readyz");
      return status === 200 ? true : undefined;
    });
  }

  async stop(): Promise<void> {
    this.client.close();
    await discard(this.folder, this.programs);
  }
}

async function startIn(
  folder: string,
  programs: Program[],
  {
    controllers = false,
    address = "127.0.0.1",
    aggregation = false,
    autoscalingPeriod = "15s",
    serverArgs: furtherArgs = [],
    datastore,
  }: ControlPlaneOptions,
  make: (kubeconfig: string, client: ApiClient, server: Program) => ControlPlane,
): Promise<ControlPlane> {
  const [port = 0] = await freePorts(1);
  const token = randomBytes(24).toString("hex");
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const tokens = file("tokens.csv", `${token},admin,admin,"system:masters"\n`);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const signingKey = file("service-account.key", privateKey);
  const verifyingKey = file("service-account.pub", publicKey);
  const certificates = certificateFolder(folder);
  mkdirSync(certificates);

  const serverArgs = [
    `--etcd-servers=${datastore ?? (await startEtcd(programs, folder))}`,
    `--secure-port=${port}`,
    `--bind-address=${address}`,
    // Its Service is unused: a documentation address avoids interface detection.
    "--advertise-address=192.0.2.1",
    "--endpoint-reconciler-type=none",
    `--cert-dir=${certificates}`,
    `--token-auth-file=${tokens}`,
    "--anonymous-auth=false",
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${verifyingKey}`,
    `--service-account-signing-key-file=${signingKey}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged=true",
    ...(aggregation ? aggregationArgs(certificates) : []),
    ...furtherArgs,
  ];
  // It may restart: its exit must keep the folder.
  const server = new Program(requirePart("kube-apiserver"), serverArgs, join(folder, "kube-apiserver.log"), {
    env: SHORT_LIVED,
  });
  programs.push(server);
  const authority = join(certificates, "apiserver.crt");
  const client = await server.ready(async () => {
    const candidate = new ApiClient({ address, port, token, ca: readFileSync(authority, "utf8") });
    const { status, body } = await candidate.request("GET", "/readyz");
    if (status === 200) {
      return candidate;
    }
    candidate.close();
    throw new Error(String(body));
  });
  const kubeconfig = file("kubeconfig", kubeconfigOf({ address, port, token, ca: readFileSync(authority, "utf8") }));

  if (controllers !== false) {
    begin(programs, folder, requirePart("kube-controller-manager"), [
      `--kubeconfig=${kubeconfig}`,
      "--secure-port=0",
      "--leader-elect=false",
      ...(controllers === true ? [] : [`--controllers=${controllers.join(",")}`]),
      `--service-account-private-key-file=${signingKey}`,
      `--root-ca-file=${authority}`,
      "--concurrent-namespace-syncs=20",
      // The default limits suit servers with thousands of nodes.
      "--kube-api-qps=200",
      "--kube-api-burst=400",
      `--horizontal-pod-autoscaler-sync-period=${autoscalingPeriod}`,
      // On a busy machine, simulated nodes miss heartbeats and their pods would not recover.
      "--node-monitor-grace-period=2h",
    ]);
  }
  return make(kubeconfig, client, server);
}

/** Starts an etcd in the folder; returns its address once ready. */
async function startEtcd(programs: Program[], folder: string): Promise<string> {
  const [port = 0, peerPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const etcd = begin(programs, folder, requirePart("etcd"), [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
  ]);
  await etcd.ready(async () => ((await fetch(`${url}/health`)).ok ? true : undefined));
  return url;
}

function certificateFolder(folder: string): string {
  return join(folder, "certificates");
}

function begin(
  programs: Program[],
  folder: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  restarts = false,
): Program {
  const log = join(folder, `${programs.length}-${basename(command)}.log`);
  const options = { env: { ...SHORT_LIVED, ...env }, ...(!restarts && { folder }) };
  const program = new Program(command, args, log, options);
  programs.push(program);
  return program;
}

async function discard(folder: string, programs: readonly Program[]): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
  rmSync(folder, { recursive: true, force: true });
}
