import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as automation from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../catalog/root";
import { loadEnvironment, parseEnvironmentFile } from "../../../stacks/config";
import { assertDeployable, createPlatform, planEnvironment } from "../../../stacks/program";
import { type EnvironmentName, type ProgramRun, programRun } from "../../stacks/run";
import { ControlPlane } from "../cluster/control-plane";
import { addRuntimeClass, addStorage, nodesOf, runNodes } from "../cluster/existing-parts";
import { kindsOf, recordedObjects, storageClassesOf } from "../cluster/recorded-objects";
import { requirePart } from "../setup/find";
import { startProvider } from "./provider-process";

const PROJECT = "inference-stacks";
const CLASS_OF_CLUSTER = "cluster-default";

/** An environment's program on the real engine, in front of a real control plane with the nodes of its plan. */
export class TestBed {
  private constructor(
    readonly plane: ControlPlane,
    readonly stack: automation.Stack,
    /** The same program on recorded providers. */
    readonly offline: ProgramRun,
    /** Folder of the file backend. */
    readonly backend: string,
  ) {}

  /**
   * @param config values beside, or instead of, those of the environment's file, by full key.
   * @throws Error that names the command which installs a missing part.
   */
  static async start(name: EnvironmentName, config: automation.ConfigMap = {}): Promise<TestBed> {
    const pulumi = requirePart("pulumi");
    const offline = await programRun(name);
    const plane = await ControlPlane.start({ controllers: true });
    try {
      const env = await prepare(plane, offline, pulumi);
      const stack = await automation.LocalWorkspace.createStack(
        { projectName: PROJECT, stackName: name, program: () => program(name) },
        { pulumiHome: join(plane.folder, "pulumi-home"), envVars: env },
      );
      await stack.setAllConfig({ ...fileConfig(name), ...config });
      return new TestBed(plane, stack, offline, join(plane.folder, "backend"));
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.plane.stop();
  }
}

/** The values of an environment's file. */
function fileConfig(name: string): automation.ConfigMap {
  const { config } = parseEnvironmentFile(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"));
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }]));
}

/** What stacks/index.ts does; the command line's test runs that file itself. */
async function program(name: string): Promise<Record<string, unknown>> {
  const { environment, secrets } = loadEnvironment();
  const plan = await planEnvironment(name, environment, repositoryRoot());
  assertDeployable(plan);
  return { ...createPlatform({ environment, secrets, plan }).stackOutputs };
}

/** Gives the cluster what an environment expects of it. @returns the variables that the engine runs with. */
async function prepare(plane: ControlPlane, offline: ProgramRun, pulumi: string): Promise<Record<string, string>> {
  const objects = recordedObjects(offline.resources);
  const backend = join(plane.folder, "backend");
  mkdirSync(backend);
  await addRuntimeClass(plane.client, offline.environment);
  await addStorage(plane.client, [CLASS_OF_CLUSTER, ...storageClassesOf(objects)]);
  await runNodes(plane, nodesOf(offline.plan));
  const [kubernetes, random] = await Promise.all([
    startProvider(plane, "kubernetes", {
      KUBECONFIG: plane.kubeconfig,
      E2E_KINDS: [...kindsOf(objects)].join(","),
    }),
    startProvider(plane, "random"),
  ]);
  // The Automation API looks the CLI up on this process's own PATH.
  process.env.PATH = `${dirname(pulumi)}:${process.env.PATH}`;
  return {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
    PULUMI_DEBUG_PROVIDERS: `kubernetes:${kubernetes},random:${random}`,
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    KUBECONFIG: plane.kubeconfig,
  };
}
