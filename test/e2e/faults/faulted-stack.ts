import { join } from "node:path";
import { readEnvironment } from "../engine/environment-file";
import { copyProject, languageHostFolder } from "../engine/project";
import { PulumiCommand, pulumi, type Run } from "../engine/pulumi";
import { type ExportedDeployment, filesBelow, generatedPasswords } from "../engine/secret-search";
import { Surroundings } from "../engine/surroundings";

/** The smallest environment. */
export const ENVIRONMENT = "dev";

/** Secrets of an operator that the stack starts with, by config key. */
export const GIVEN_SECRETS: Readonly<Record<string, string>> = {
  "inference-stacks:huggingFaceToken": "hf_faultsSecretToken",
  "inference-stacks:alertWebhookUrl": "https://alerts.example.com/faults-secret-path",
};

/** Makes and changes what the program says, without a preview. */
export const UP = ["up", "--yes", "--skip-preview"];

/** An environment's stack, driven as an operator drives it, of which everything that was printed is kept. */
export class FaultedStack {
  /** What the commands so far printed. */
  private readonly printed: string[] = [];

  private constructor(
    readonly surroundings: Surroundings,
    private readonly cwd: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @throws Error that names the command which installs a missing part. */
  static async start(): Promise<FaultedStack> {
    const secrets = Object.entries(GIVEN_SECRETS).map(([key, value]) => [key, { value, secret: true }]);
    const file = readEnvironment(ENVIRONMENT, Object.fromEntries(secrets));
    const surroundings = await Surroundings.start(ENVIRONMENT, file);
    try {
      const cwd = copyProject(surroundings.plane.folder);
      const stack = new FaultedStack(surroundings, cwd, {
        PATH: `${surroundings.env.PATH}:${languageHostFolder(surroundings.plane.folder)}`,
      });
      await stack.must(["stack", "init"]);
      const pairs = Object.entries(GIVEN_SECRETS).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
      await stack.must(["config", "set-all", ...pairs]);
      return stack;
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.surroundings.stop();
  }

  /** Starts a command on the stack, with these variables set, and returns while it runs. */
  async begin(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<PulumiCommand> {
    const env = Object.keys(variables).length > 0 ? await this.surroundings.envWith(variables) : this.surroundings.env;
    const command = new PulumiCommand([...args, "--stack", ENVIRONMENT], {
      cwd: this.cwd,
      env: { ...env, ...this.env },
    });
    command.finished.then(
      ({ output }) => this.printed.push(output),
      () => {},
    );
    return command;
  }

  /** Runs a command on the stack to its end. */
  async run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Run> {
    return (await this.begin(args, variables)).finished;
  }

  /** @throws Error with the output of a command that fails. */
  async must(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Run> {
    const run = await this.run(args, variables);
    if (run.status !== 0) {
      throw new Error(`pulumi ${args.join(" ")}:\n${run.output}`);
    }
    return run;
  }

  /** The state, with secrets as the backend keeps them. */
  async state(): Promise<ExportedDeployment> {
    const { output } = await this.must(["stack", "export"]);
    return (JSON.parse(output) as { readonly deployment: ExportedDeployment }).deployment;
  }

  /**
   * URNs of resources by their names.
   *
   * @throws Error when the state lacks one.
   */
  async urnsOf(names: readonly string[]): Promise<string[]> {
    const { resources = [] } = await this.state();
    return names.map((name) => {
      const urn = resources.map((resource) => resource.urn).find((candidate) => candidate.endsWith(`::${name}`));
      if (urn === undefined) {
        throw new Error(`the state has no ${name}`);
      }
      return urn;
    });
  }

  /** The passwords that the stack made for itself. */
  async passwords(): Promise<string[]> {
    // Not by `run`, which keeps the output: this one may show secrets.
    const args = ["stack", "export", "--show-secrets", "--stack", ENVIRONMENT];
    const { output } = await pulumi(args, { cwd: this.cwd, env: { ...this.surroundings.env, ...this.env } });
    return generatedPasswords((JSON.parse(output) as { readonly deployment: ExportedDeployment }).deployment);
  }

  /** Everything that was written outside of the cluster: states, backups, histories, logs, config, output. */
  written(): Map<string, string> {
    const { backend, plane } = this.surroundings;
    const logs = [...filesBelow(plane.folder, { deep: false })].filter(([path]) => path.endsWith(".log"));
    const config = [...filesBelow(this.cwd, { deep: false })].filter(([path]) => path.endsWith(".yaml"));
    const home = filesBelow(join(plane.folder, "pulumi-home"));
    const printed = this.printed.map((text, index): [string, string] => [`output ${index}`, text]);
    return new Map([...filesBelow(backend), ...home, ...logs, ...config, ...printed]);
  }
}
