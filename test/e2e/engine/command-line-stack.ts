import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap } from "@pulumi/pulumi/automation";
import { stringify } from "yaml";
import type { EnvironmentName } from "../../stacks/run";
import { type EnvironmentFile, readEnvironment } from "./environment-file";
import { CHARTS, copyProject, languageHostFolder } from "./project";
import { PulumiCommand, type Run } from "./pulumi";
import { type CloudBehaviour, Surroundings } from "./surroundings";

type Variables = Readonly<Record<string, string>>;

/** An environment's stack, driven by the command line as an operator drives it. */
export class CommandLineStack {
  private constructor(
    readonly surroundings: Surroundings,
    readonly name: EnvironmentName,
    private readonly cwd: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param config values beside, or instead of, those of the environment's file, by full key.
   * @throws Error that names the command which installs a missing part.
   */
  static async start(
    name: EnvironmentName,
    config: ConfigMap = {},
    behaviour: CloudBehaviour = {},
  ): Promise<CommandLineStack> {
    const surroundings = await Surroundings.start(name, readEnvironment(name, config), behaviour);
    try {
      const { file, plane } = surroundings;
      const { folder } = plane;
      const cwd = copyProject(folder);
      writeFileSync(join(cwd, `Pulumi.${name}.yaml`), stringify({ config: { ...CHARTS, ...openSections(file) } }));
      const PATH = `${surroundings.env.PATH}:${languageHostFolder(folder)}`;
      const stack = new CommandLineStack(surroundings, name, cwd, { ...surroundings.env, PATH });
      await stack.must(["stack", "init"]);
      for (const key of file.secretKeys) {
        await stack.must(["config", "set-all", "--secret", `${key}=${file.config[key]}`]);
      }
      return stack;
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.surroundings.stop();
  }

  /** Starts a command on the stack, and returns while it runs. */
  begin(args: readonly string[], env = this.env): PulumiCommand {
    return new PulumiCommand([...args, "--stack", this.name], { cwd: this.cwd, env });
  }

  /**
   * Runs a command on the stack to its end.
   *
   * @param variables that an operator sets for it; a provider started with them gets them too.
   */
  async run(args: readonly string[], variables: Variables = {}): Promise<Run> {
    const { PATH = "" } = this.env;
    const isSet = Object.keys(variables).length > 0;
    return this.begin(args, isSet ? { ...(await this.surroundings.envWith(variables)), PATH } : this.env).finished;
  }

  /** @throws Error with the output of a command that fails. */
  async must(args: readonly string[], variables: Variables = {}): Promise<Run> {
    const run = await this.run(args, variables);
    if (run.status !== 0) {
      throw new Error(`pulumi ${args.join(" ")}:\n${run.output}`);
    }
    return run;
  }
}

/** What stands openly in an environment's file: sections as in the repository's own, which `pulumi config set --path` writes in. */
function openSections({ config, secretKeys }: EnvironmentFile): Readonly<Record<string, unknown>> {
  const open = Object.entries(config).filter(([key]) => !secretKeys.includes(key));
  return Object.fromEntries(open.map(([key, text]) => [key, /^[{[]/.test(text) ? JSON.parse(text) : text]));
}
