import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import type { EnvironmentName } from "../../stacks/run";
import { readEnvironment } from "../engine/environment-file";
import { copySources, languageHostFolder } from "../engine/project";
import { Command, type Run } from "../engine/pulumi";
import { Surroundings } from "../engine/surroundings";
import type { Machine, MachineOptions } from "./machine/machine";
import { writeStandInCatalog } from "./machine/release";

/** A clone of the repository, the computer it lies on, and the machine that its owner means to install from there. */
export class Checkout {
  private constructor(
    readonly surroundings: Surroundings,
    private readonly name: EnvironmentName,
    private readonly project: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param prepare changes the clone before anything runs in it.
   * @throws Error that names the command which installs a missing part.
   */
  static async start(
    name: EnvironmentName,
    machine: MachineOptions,
    prepare: (project: string) => void = () => {},
  ): Promise<Checkout> {
    const surroundings = await Surroundings.start(name, readEnvironment(name), { machine });
    try {
      const { folder } = surroundings.plane;
      const project = copySources(folder);
      writeStandInCatalog(project);
      prepare(project);
      const home = join(folder, "home");
      mkdirSync(join(home, ".ssh"), { recursive: true });
      writeFileSync(join(home, ".ssh", "id_ed25519"), surroundings.machine.keys.privateKey, { mode: 0o600 });
      const env = {
        ...surroundings.env,
        PATH: `${surroundings.env.PATH}:${languageHostFolder(folder)}`,
        HOME: home,
        // Whoever installs a machine has no cluster yet.
        KUBECONFIG: join(home, "none"),
      };
      return new Checkout(surroundings, name, project, env);
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  get machine(): Machine {
    return this.surroundings.machine;
  }

  /** The environment's file, as it is here. */
  get file(): string {
    return join(this.project, `Pulumi.${this.name}.yaml`);
  }

  /** Writes into the environment's file which machine is meant, as its comments ask for. */
  nameMachine(): void {
    const { address, user, keys } = this.machine;
    const values = { address, user, hostKey: keys.hostKey };
    let text = readFileSync(this.file, "utf8");
    for (const [key, value] of Object.entries(values)) {
      text = text.replace(new RegExp(`^( +${key}: ).*$`, "m"), `$1${value}`);
    }
    writeFileSync(this.file, text);
  }

  /** Runs what somebody types into a shell in that folder. */
  type(line: string, input?: string): Promise<Run> {
    return new Command("sh", ["-c", line], { cwd: this.project, env: this.env, ...(input !== undefined && { input }) })
      .finished;
  }

  /** @throws Error with the output of a command that fails. */
  async must(line: string, input?: string): Promise<string> {
    const { status, output } = await this.type(line, input);
    if (status !== 0) {
      throw new Error(`${line}:\n${output}`);
    }
    return output;
  }

  /**
   * Ends the engine that works on this checkout where it is, as a crash or the kernel's memory killer does.
   *
   * @throws Error where none does.
   */
  killEngine(): void {
    const engine = readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && this.isEngine(pid));
    if (engine === undefined) {
      throw new Error(`no pulumi runs in ${this.project}`);
    }
    process.kill(Number(engine), "SIGKILL");
  }

  private isEngine(pid: string): boolean {
    try {
      return (
        readFileSync(`/proc/${pid}/comm`, "utf8") === "pulumi\n" && readlinkSync(`/proc/${pid}/cwd`) === this.project
      );
    } catch {
      // It ended meanwhile.
      return false;
    }
  }

  async stop(): Promise<void> {
    await this.surroundings.stop();
  }
}

/**
 * The commands of docs/edge.md in one of its blocks, for an environment.
 *
 * @param first what its block begins with.
 */
export function documentedCommands(name: EnvironmentName, first: string): string[] {
  const page = readFileSync(join(repositoryRoot(), "docs", "edge.md"), "utf8");
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const block = blocks.find((each) => each.startsWith(first));
  if (block === undefined) {
    throw new Error(`docs/edge.md has no commands that begin with ${first}`);
  }
  return block
    .split("\n")
    .map((line) => line.replace(/ +# .*/, "").replaceAll("<name>", name))
    .filter((line) => line !== "");
}
