import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../../catalog/root";
import { type EnvironmentRun, runEnvironment } from "../../../cli/plan-offline";
import type { EnvironmentName } from "../../stacks/run";
import { ControlPlane } from "../cluster/control-plane";
import { addRuntimeClass, addStorage, nodesOf, runNodes } from "../cluster/existing-parts";
import { kindsOf, recordedObjects, storageClassesOf } from "../cluster/recorded-objects";
import { requirePart } from "../setup/find";
import type { EnvironmentFile } from "./environment-file";
import { startProvider } from "./provider-process";

/** The class of claims that name none. */
const CLASS_OF_CLUSTER = "cluster-default";

/** What an environment's program meets when it runs: a cluster with the nodes of its plan, providers, a backend. */
export class Surroundings {
  private constructor(
    readonly plane: ControlPlane,
    /** The same program on recorded providers. */
    readonly offline: EnvironmentRun,
    /** Folder of the file backend. */
    readonly backend: string,
    /** What the engine runs with. */
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @throws Error that names the command which installs a missing part. */
  static async start(name: EnvironmentName, file: EnvironmentFile): Promise<Surroundings> {
    const pulumi = requirePart("pulumi");
    const offline = await runEnvironment({ name, file, baseDirectory: repositoryRoot() });
    const plane = await ControlPlane.start({ controllers: true });
    try {
      const backend = join(plane.folder, "backend");
      mkdirSync(backend);
      const objects = recordedObjects(offline.recording.resources);
      await addRuntimeClass(plane.client, file.environment);
      await addStorage(plane.client, [CLASS_OF_CLUSTER, ...storageClassesOf(objects)]);
      await runNodes(plane, nodesOf(offline.plan));
      const kinds = [...kindsOf(objects)].join(",");
      const [kubernetes, random] = await Promise.all([
        startProvider(plane, "kubernetes", { KUBECONFIG: plane.kubeconfig, E2E_KINDS: kinds }),
        startProvider(plane, "random"),
      ]);
      return new Surroundings(plane, offline, backend, {
        PATH: `${dirname(pulumi)}:${process.env.PATH}`,
        PULUMI_HOME: join(plane.folder, "pulumi-home"),
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
        PULUMI_DEBUG_PROVIDERS: `kubernetes:${kubernetes},random:${random}`,
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        KUBECONFIG: plane.kubeconfig,
      });
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.plane.stop();
  }
}
