/**
 * Open WebUI as an environment renders it, by its release on PyPI: its pod with the Envoy that leads to the gateway, the real gateway
 * before and behind it, and the real MinIO for its copies. Nothing that is rendered is restated here. What differs from a
 * cluster: the image's own start is the package's, the gateway's Service has the port of its pods, and certificates are of an authority of
 * the test.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPEN_WEBUI_RESTORE } from "../../../components/open-webui/backup";
import { OPEN_WEBUI, OPEN_WEBUI_BACKUP } from "../../../components/open-webui/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { MODEL_STORE_NAMESPACE, OPEN_WEBUI_NAMESPACE } from "../../../names/namespaces";
import { serviceFqdn } from "../../../names/service-host";
import { shippedText } from "../../../names/shipped-file";
import { Authority } from "../../../rehearsal/cluster/authority";
import type { GatewayAnswer, GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { podOf } from "../../../rehearsal/cluster/gateway/workload";
import type { RunningPod } from "../../../rehearsal/cluster/kubelet/running-pod";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { requirePart } from "../../../rehearsal/parts/find";
import { changedRun } from "../../stacks/run";
import { CLIENT, type SignInIssuer } from "./sign-in-issuer";

export const PAGE_HOSTNAME = "chat.example.internal";
export const ADMINISTRATOR = "ops@example.internal";
/** The model that the page's consumer may call; the environment has another one too. */
export const MODEL = "chat";

const NAMESPACES = [OPEN_WEBUI_NAMESPACE, MODEL_STORE_NAMESPACE];
const KINDS = ["ConfigMap", "Secret", "ServiceAccount"];
/** The first start makes the database; a machine with two cores that does other things takes minutes. */
const START_SECONDS = 600;

/** What the image's own start does, by the package's command. */
const START = ["-c", "from open_webui import app; app()", "serve"];

export class PageTestbed {
  private page: RunningPod | undefined;
  private pods = 0;

  private constructor(
    readonly gateway: GatewayStand,
    private readonly objects: readonly KubernetesObject[],
    private readonly authority: Authority,
    /** Folders of volumes, by their claims. */
    private readonly claims: Readonly<Record<string, string>>,
    private readonly folder: string,
  ) {}

  /**
   * @param engine answers in the place of the model's
   * @param issuer signs people in. @default accounts of the page
   */
  static async start(engine: RequestListener, issuer?: SignInIssuer): Promise<PageTestbed> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-page-"));
    const caFile = join(folder, "issuer.pem");
    if (issuer !== undefined) {
      writeFileSync(caFile, issuer.keys.authority.certificate);
    }
    const oidc = issuer && { issuer: issuer.keys.issuer, audience: "inference", jwksUri: issuer.keys.jwksUri, caFile };
    const { resources } = await changedRun("edge-nvidia", {
      gateway: {
        ...(oidc && { auth: { oidc } }),
        hostname: "inference.example.internal",
        tls: { kind: "secret", secretName: "gateway-tls" },
        consumers: { default: {}, "open-webui": { models: [MODEL] } },
      },
      openWebUi: {
        hostname: PAGE_HOSTNAME,
        adminEmail: ADMINISTRATOR,
        ...(issuer && { signIn: { clientId: CLIENT, newUsers: "user" } }),
        gatewayAuthorities: shippedText("test/fixtures/certificates/example-ca.pem"),
      },
    });
    const gateway = await GatewayStand.start(resources);
    const authority = new Authority();
    const claims = { "open-webui-data": join(folder, "page"), "minio-data": join(folder, "store") };
    const testbed = new PageTestbed(gateway, recordedObjects(resources), authority, claims, folder);
    try {
      if (issuer !== undefined) {
        await gateway.listen(issuer.keys.hostname, 443, issuer.server);
      }
      await testbed.begin(engine);
      return testbed;
    } catch (error) {
      await testbed.stop();
      throw error;
    }
  }

  /** Folder of the page's volume. */
  get data(): string {
    return this.claims["open-webui-data"] ?? "";
  }

  /** What the page printed. */
  get log(): string {
    return this.page?.output("page") ?? "";
  }

  /** Sends a request of a browser: to the page's hostname, by the gateway. */
  async ask(request: Omit<GatewayRequest, "hostname">, token?: string): Promise<GatewayAnswer & { json<T>(): T }> {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...request.headers };
    const answer = await this.gateway.request({ ...request, headers, hostname: PAGE_HOSTNAME });
    return { ...answer, json: <T>() => JSON.parse(answer.text) as T };
  }

  /** A value of the page's Secret. */
  secret(key: string): string {
    const data = this.object("Secret", OPEN_WEBUI).stringData as Readonly<Record<string, string>>;
    return data[key] ?? "";
  }

  async startPage(): Promise<void> {
    const manifest = podOf(this.object("StatefulSet", OPEN_WEBUI), `${OPEN_WEBUI}-0`);
    const { containers } = manifest.spec as unknown as { containers: { name: string; args?: readonly string[] }[] };
    const page = { ...containers.find(({ name }) => name === "page"), args: START };
    const programs = { page: requirePart("open-webui-python"), "gateway-link": requirePart("envoy") };
    const options = { claims: this.claims, isConfined: true, joinsServices: false };
    const spec = { ...(manifest.spec as object), containers: [page] };
    this.page = await this.gateway.runPod({ ...manifest, spec }, programs, options);
    this.gateway.resolve(serviceFqdn(OPEN_WEBUI, OPEN_WEBUI_NAMESPACE), [this.page.address]);
    await this.page.ready(START_SECONDS);
  }

  /** As `kubectl scale --replicas=0` does. */
  async stopPage(): Promise<void> {
    await this.page?.terminate();
    this.page = undefined;
  }

  /** A Job of the nightly copy. Returns what its containers printed. */
  backUp(): Promise<string> {
    return this.runJob(OPEN_WEBUI_BACKUP, "copy", "upload");
  }

  /** A Job that puts the newest copy back. */
  restore(): Promise<string> {
    return this.runJob(OPEN_WEBUI_RESTORE, "download", "unpack");
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    this.authority.discard();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async begin(engine: RequestListener): Promise<void> {
    for (const claim of Object.values(this.claims)) {
      mkdirSync(claim, { recursive: true });
    }
    const accounts = NAMESPACES.map((namespace) => ({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace },
    }));
    const own = this.objects.filter(
      ({ kind, metadata }) => NAMESPACES.includes(metadata.namespace ?? "") && KINDS.includes(kind),
    );
    await this.gateway.apply([...accounts, ...own.map((object) => this.here(object)), ...this.certificates()]);
    await this.gateway.serve(MODEL, engine);
    await this.startStore();
    await this.startPage();
  }

  /** What names the gateway's authority and port, with those of this machine. */
  private here(object: KubernetesObject): KubernetesObject {
    const { kind, metadata, data } = object;
    if (kind !== "ConfigMap" || metadata.name !== OPEN_WEBUI) {
      return object;
    }
    const files = data as Readonly<Record<string, string>>;
    const port = this.gateway.proxies[0]?.httpsPort;
    const link = files["envoy.json"]?.replace('"port_value":443', `"port_value":${port}`);
    return { ...object, data: { ...files, "envoy.json": link, "gateway.pem": this.gateway.ca } };
  }

  /** Secrets that cert-manager fills, one for each Certificate. */
  private certificates(): KubernetesObject[] {
    return this.objects
      .filter(({ kind, metadata }) => kind === "Certificate" && NAMESPACES.includes(metadata.namespace ?? ""))
      .map(({ metadata: { namespace = "" }, spec }) => {
        const { secretName, dnsNames = ["client"] } = spec as unknown as { secretName: string; dnsNames?: string[] };
        return this.authority.tlsSecret({ name: secretName, namespace }, dnsNames);
      });
  }

  private async startStore(): Promise<void> {
    const claims = this.claims;
    const server = podOf(this.object("StatefulSet", "minio"), "minio-0");
    const store = await this.gateway.runPod(server, { minio: requirePart("minio") }, { claims, isConfined: true });
    await store.ready();
    await this.completed(podOf(this.object("Job", "provisioning"), "provisioning-0"), { mc: "/bin/sh" }, ["mc"]);
  }

  private async runJob(cronJob: string, ...containers: readonly string[]): Promise<string> {
    const { jobTemplate } = this.object("CronJob", cronJob).spec as unknown as { jobTemplate: { spec: object } };
    const job = { ...this.object("CronJob", cronJob), spec: jobTemplate.spec } as KubernetesObject;
    this.pods += 1;
    const python = requirePart("open-webui-python");
    const programs = { copy: python, unpack: python, upload: "/bin/sh", download: "/bin/sh" };
    return this.completed(podOf(job, `${cronJob}-${this.pods}`), programs, containers);
  }

  private async completed(
    manifest: KubernetesObject,
    programs: Readonly<Record<string, string>>,
    containers: readonly string[],
  ): Promise<string> {
    const commands = { mc: requirePart("mcli") };
    const pod = await this.gateway.runPod(manifest, programs, { claims: this.claims, commands, isConfined: true });
    await pod.completed();
    return containers.map((name) => pod.output(name)).join("\n");
  }

  private object(kind: string, name: string): KubernetesObject {
    const found = this.objects.find(
      (each) => each.kind === kind && each.metadata.name === name && NAMESPACES.includes(each.metadata.namespace ?? ""),
    );
    if (found === undefined) {
      throw new Error(`the environment renders no ${kind} ${name}`);
    }
    return found;
  }
}
