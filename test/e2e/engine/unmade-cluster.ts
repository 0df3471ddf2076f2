import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigOf } from "../../../rehearsal/cluster/kubeconfig";
import { Program } from "../../../rehearsal/cluster/lifeline";
import type { EnvironmentName } from "../../stacks/run";
import { engineVariables } from "./engine-variables";
import { readEnvironment } from "./environment-file";
import { copySources, languageHostFolder } from "./project";
import { startProvider } from "./provider-process";
import { pulumi, type Run } from "./pulumi";

/** Nothing listens there. */
const NOWHERE = { port: 1, ca: "", token: "" };

/**
 * Previews of environments whose clusters are not made yet, by the command line in a checkout of their own: with providers, and no API server,
 * which nobody asks before there is one.
 */
export class UnmadeClusters {
  private constructor(
    private readonly folder: string,
    private readonly programs: readonly Program[],
    private readonly checkout: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @throws Error that names the command which installs a missing part. */
  static async start(): Promise<UnmadeClusters> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const programs: Program[] = [];
    const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const program = new Program(command, args, join(folder, `provider-${programs.length}.log`), { env });
      programs.push(program);
      return program;
    };
    const [kubeconfig, cloud, backend] = [join(folder, "kubeconfig"), join(folder, "cloud"), join(folder, "backend")];
    mkdirSync(cloud);
    mkdirSync(backend);
    writeFileSync(kubeconfig, kubeconfigOf(NOWHERE));
    const names = ["aws", "oci", "kubernetes", "random"] as const;
    const ports = await Promise.all(
      names.map(async (name) => [
        name,
        await startProvider({ run }, name, { KUBECONFIG: kubeconfig, E2E_CLOUD: cloud }),
      ]),
    );
    const variables = engineVariables({ home: join(folder, "home"), backend, ports: Object.fromEntries(ports) });
    const env = { ...variables, PATH: `${variables.PATH}:${languageHostFolder(folder)}` };
    return new UnmadeClusters(folder, programs, copySources(folder), env);
  }

  /** Changes the text of a source, of which there must be something to change. */
  edit(source: string, before: string, after: string): void {
    const path = join(this.checkout, source);
    const text = readFileSync(path, "utf8");
    if (!text.includes(before)) {
      throw new Error(`${source} has no ${before}`);
    }
    writeFileSync(path, text.replace(before, after));
  }

  /** Makes a stack with the secrets that its environment asks for. */
  async init(stack: EnvironmentName): Promise<void> {
    await this.must(["stack", "init", stack]);
    const { secretKeys, config } = readEnvironment(stack);
    const secrets = secretKeys.flatMap((key) => ["--secret", `${key}=${config[key]}`]);
    await this.must(["config", "set-all", "--stack", stack, ...secrets]);
  }

  run(args: readonly string[]): Promise<Run> {
    return pulumi(args, { cwd: this.checkout, env: this.env });
  }

  private async must(args: readonly string[]): Promise<void> {
    const { status, output } = await this.run(args);
    if (status !== 0) {
      throw new Error(`pulumi ${args.join(" ")}:\n${output}`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
