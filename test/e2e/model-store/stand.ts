import type { ModelPlan } from "../../../planner/types";
import type { StoreOverrides } from "../../components/storage/fixture";
import { issueCertificate } from "./authority";
import type { ContainerFolder } from "./container-folder";
import { Hub, type RepositoryFiles } from "./hub";
import { type IssuedSecrets, RenderedPlatform } from "./platform";
import { Reports } from "./reports";
import type { Outcome } from "./script-process";
import { TestStore } from "./start-store";

/** Variables by name, or files by path. */
export type Variables = Readonly<Record<string, string>>;

/** A model store as it is rendered, on a real server, with a Hub to copy from and a real API server to report to. */
export class Stand {
  private constructor(
    readonly platform: RenderedPlatform,
    private current: TestStore,
    private readonly authority: string,
    readonly hub: Hub,
    readonly reports: Reports,
    private readonly token: string,
    private readonly issued: IssuedSecrets,
  ) {}

  /**
   * @param models all from the Hub.
   * @param repositories content by `organization/name`.
   * @param token of the Hub.
   * @param overrides of the store. @default none
   */
  static async start(
    models: readonly ModelPlan[],
    repositories: Readonly<Record<string, RepositoryFiles>>,
    token: string,
    overrides: StoreOverrides = {},
  ): Promise<Stand> {
    const certificate = issueCertificate(["DNS:minio.model-store.svc", "IP:127.0.0.1"]);
    const issued = { "minio-tls": certificate, "model-store-trust": certificate };
    const platform = await RenderedPlatform.render(models, token, issued, new Map(), overrides);
    const names = models.map(({ name }) => name);
    const [store, hub, reports] = await Promise.all([
      TestStore.start(platform, certificate["ca.crt"]),
      Hub.start(repositories, token),
      Reports.start(platform, names),
    ]);
    return new Stand(platform, store, certificate["ca.crt"], hub, reports, token, issued);
  }

  get store(): TestStore {
    return this.current;
  }

  /** The server ends and its volume is gone; one with an empty volume is set up by the provisioning Job's script, with the same keys. */
  async loseVolume(): Promise<void> {
    await this.current.stop();
    this.current = await TestStore.start(this.platform, this.authority);
  }

  /** The platform after its models changed: what the program's state keeps, it keeps. */
  changed(models: readonly ModelPlan[]): Promise<RenderedPlatform> {
    return RenderedPlatform.render(models, this.token, this.issued, this.platform.passwords);
  }

  sync(model: string, env: Variables = {}, files: Variables = {}): ContainerFolder {
    const variables = { HF_ENDPOINT: this.hub.url, ...this.reports.variables(model), ...env };
    return this.store.container(this.platform.sync(model), { env: variables, files });
  }

  async fetch(model: string, env: Variables = {}, files: Variables = {}): Promise<ContainerFolder> {
    const mounted = { ...(await this.reports.mounted(model)), ...files };
    return this.store.container(this.platform.fetch(model), { env, files: mounted });
  }

  /** @param platform what renders it, where that changed. @default what the stand was started with */
  syncAdapters(model: string, platform = this.platform): ContainerFolder {
    const env = { HF_ENDPOINT: this.hub.url, ...this.reports.variables(model) };
    return this.store.container(platform.syncAdapters(model), { env });
  }

  async fetchAdapters(model: string, platform = this.platform): Promise<ContainerFolder> {
    return this.store.container(platform.engine(model, "fetch-adapters"), { files: await this.reports.mounted(model) });
  }

  async run(container: ContainerFolder | Promise<ContainerFolder>): Promise<Outcome> {
    return this.store.start(await container).ended;
  }

  async stop(): Promise<void> {
    await Promise.all([this.store.stop(), this.hub.stop(), this.reports.stop()]);
  }
}
