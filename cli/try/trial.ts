import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { type CommandIo, EXIT, lineOf } from "../io";
import { main as plan } from "../plan";
import { stackOutputs } from "../stack-outputs";
import type { TryArguments } from "./arguments";
import { askModel, gatewayAuthority, NotAnswered, type TrialOutputs, trialOutputs } from "./ask";
import { chatPageOutputs, hasChatPage, openingText, withChatPage } from "./chat-page";
import { TRIAL, trialEnvironment } from "./environment";
import { askOnPath, findNeeds, needsText, type Tools } from "./needs";
import { keptPassphrase, stateChoice, writePrivate } from "./pulumi-state";
import { captured, watched } from "./run-command";

/** Of the first answer. */
const MOST_TOKENS = 128;
/** For a small model on few CPUs, including loading. */
const ANSWER_SECONDS = 300;

/** A trial of the platform on this computer: its files, and Pulumi's environment. */
export class Trial {
  private readonly environmentFile: string;
  private readonly folder: string;
  private readonly kubeconfigFile: string;
  private readonly passphraseFile: string;
  private env: NodeJS.ProcessEnv;

  /** @param root of the repository, for `Pulumi.try.yaml` and the folder `.try`. */
  constructor(
    private readonly root: string,
    env: NodeJS.ProcessEnv,
    private readonly io: CommandIo,
  ) {
    this.env = env;
    this.environmentFile = join(root, `Pulumi.${TRIAL}.yaml`);
    this.folder = join(root, ".try");
    this.kubeconfigFile = join(this.folder, "kubeconfig");
    this.passphraseFile = join(this.folder, "passphrase");
  }

  /** Starts the platform and asks its model. Returns the exit status. */
  async run({ tool, question, chat }: TryArguments): Promise<number> {
    const { needs, tools } = await findNeeds(askOnPath(this.place), tool);
    this.say(`Needs of a trial on this computer\n${needsText(needs)}`);
    if (tools === undefined) {
      this.io.err("Nothing was created. Fix what is marked ✗, then: npm run try\n");
      return EXIT.refused;
    }
    const isNew = this.writeEnvironment(tools);
    const status = await plan([TRIAL, "--config", this.environmentFile], this.io);
    if (status !== EXIT.ok) {
      this.refusedPlan(isNew, tools);
      return status;
    }
    if (!(await this.openStack()) || !(await this.up())) {
      return EXIT.refused;
    }
    const outputs = trialOutputs.safeParse(await this.keepKubeconfig()).data;
    if (outputs === undefined || (chat && !(await this.bringChatPage()))) {
      return EXIT.refused;
    }
    return this.ask(outputs, question);
  }

  /** Removes everything. Returns the exit status. */
  async remove(): Promise<number> {
    if (!(await this.hasStack())) {
      this.say(`There is no stack ${TRIAL}: nothing to remove.\n`);
      return EXIT.ok;
    }
    this.usePassphrase();
    if ((await this.pulumi("destroy", "--yes", "--remove", "--stack", TRIAL)) !== 0) {
      this.io.err(
        "\nNot all of it is removed. What failed is above; npm run try -- --remove goes on where it ended.\n",
      );
      return EXIT.refused;
    }
    rmSync(this.environmentFile, { force: true });
    rmSync(this.folder, { recursive: true, force: true });
    this.say(
      `\nRemoved: the cluster with all that was in it, the stack ${TRIAL}, ${this.told(this.environmentFile)}, .try\n`,
    );
    return EXIT.ok;
  }

  private async up(): Promise<boolean> {
    const isUp = (await this.pulumi("up", "--yes", "--skip-preview", "--stack", TRIAL)) === 0;
    if (!isUp) {
      this.io.err(
        `\nIt is not up. What failed is above; npm run try goes on where it ended.\nThe cluster: ${this.kubectl("get pods --all-namespaces")}\n`,
      );
      await this.keepKubeconfig();
    }
    return isUp;
  }

  /** Needs the running platform: it checks the gateway's certificate, whose CA now exists. */
  private async bringChatPage(): Promise<boolean> {
    const environment = readFileSync(this.environmentFile, "utf8");
    if (!hasChatPage(environment)) {
      const authority = await gatewayAuthority(this.kubectlPlace).catch((error: unknown) => {
        this.io.err(`\n✗ no chat page: ${lineOf(error)}\n`);
      });
      if (authority === undefined) {
        return false;
      }
      writeFileSync(this.environmentFile, withChatPage(environment, authority));
      this.say(`\nAdded openWebUi and its consumer to ${this.told(this.environmentFile)}.\n\n`);
      if ((await plan([TRIAL, "--config", this.environmentFile], this.io)) !== EXIT.ok || !(await this.up())) {
        return false;
      }
    }
    const { openWebUi } = chatPageOutputs.safeParse(await this.keepKubeconfig()).data ?? {};
    if (openWebUi !== undefined) {
      this.say(`\n${openingText(openWebUi, this.told(this.kubeconfigFile))}`);
    }
    return openWebUi !== undefined;
  }

  /** @returns whether it is new. */
  private writeEnvironment(tools: Tools): boolean {
    if (existsSync(this.environmentFile)) {
      this.say(`\n${this.told(this.environmentFile)} is there, and stays as it is.\n\n`);
      return false;
    }
    const dev = readFileSync(join(this.root, "Pulumi.dev.yaml"), "utf8");
    writeFileSync(this.environmentFile, trialEnvironment(dev, tools));
    this.say(`\nWrote ${this.told(this.environmentFile)}: dev's, on a cluster of its own by ${tools.tool}.\n\n`);
    return true;
  }

  private refusedPlan(isNew: boolean, { engine, size }: Tools): void {
    if (isNew) {
      // The next run determines the container size again.
      rmSync(this.environmentFile);
    }
    const file = this.told(this.environmentFile);
    this.io.err(
      `\nNothing was made. ${engine} gives containers ${size.vcpus} CPUs and ${size.memoryGiB} GiB: give them more (Docker Desktop: Settings, Resources)${isNew ? "" : `, or change ${file}`}, then: npm run try\n`,
    );
  }

  /** State, passphrase and stack. */
  private async openStack(): Promise<boolean> {
    const { backend } = this.usePassphrase();
    if (backend === undefined) {
      this.say("\nYou are not logged in to Pulumi: the state goes to this computer (pulumi login --local).\n");
      if ((await this.pulumi("login", "--local")) !== 0) {
        return false;
      }
    }
    return (await this.hasStack()) || (await this.pulumi("stack", "init", TRIAL, "--no-select")) === 0;
  }

  /** Generates one where the state needs it and the user has set none. */
  private usePassphrase() {
    const project = parse(readFileSync(join(this.root, "Pulumi.yaml"), "utf8")) as Parameters<typeof stateChoice>[1];
    const choice = stateChoice(this.env, project);
    if (choice.lacksPassphrase) {
      keptPassphrase(this.passphraseFile);
      this.env = { ...this.env, PULUMI_CONFIG_PASSPHRASE_FILE: this.passphraseFile };
      this.say(`\nThe passphrase of its secrets is in ${this.told(this.passphraseFile)}.\n`);
    }
    return choice;
  }

  private async hasStack(): Promise<boolean> {
    const { status } = await captured(
      "pulumi",
      ["--non-interactive", "stack", "--stack", TRIAL, "--show-name"],
      this.place,
    );
    return status === 0;
  }

  /** Outputs; writes their kubeconfig for commands. Undefined after Pulumi's reported refusal. */
  private async keepKubeconfig(): Promise<unknown> {
    const found = await stackOutputs(TRIAL, this.place);
    if ("problem" in found) {
      this.io.err(`${found.problem}\n`);
      return undefined;
    }
    const { outputs } = found;
    const { kubeconfig } = trialOutputs.pick({ kubeconfig: true }).safeParse(outputs).data ?? {};
    if (kubeconfig !== undefined) {
      writePrivate(this.kubeconfigFile, kubeconfig);
    }
    return outputs;
  }

  private async ask(outputs: TrialOutputs, prompt: string): Promise<number> {
    this.say(`\n${prompt}\n\n`);
    try {
      const { model, tokens, firstTokenMs, tokensPerSecond } = await askModel(
        { outputs, prompt, maxTokens: MOST_TOKENS, seconds: ANSWER_SECONDS, onText: (text) => this.say(text) },
        this.kubectlPlace,
      );
      this.say(
        `\n\n✓ ${model} answered through the gateway: ${tokens} tokens, the first after ${firstTokenMs} ms, then ${tokensPerSecond} a second\n\n${this.next()}`,
      );
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof NotAnswered)) {
        throw error;
      }
      this.io.err(
        `\n✗ the platform is up, but its model did not answer: ${lineOf(error)}\n  look at ${error.lookAt}\n\n`,
      );
      this.say(this.next());
      return EXIT.refused;
    }
  }

  private next(): string {
    const commands = [
      [`npm run status -- ${TRIAL} --kubeconfig ${this.told(this.kubeconfigFile)}`, "what runs, and how to call it"],
      [this.kubectl("get pods --all-namespaces"), "look into the cluster"],
      ["npm run try -- --chat", "a chat page for a browser"],
      ["npm run try", `again: once you changed ${this.told(this.environmentFile)}`],
      ["npm run try -- --remove", "remove all of it"],
    ] as const;
    const width = Math.max(...commands.map(([command]) => command.length));
    return `Next\n${commands.map(([command, what]) => `  ${command.padEnd(width)}  ${what}\n`).join("")}`;
  }

  private kubectl(what: string): string {
    return `kubectl --kubeconfig ${this.told(this.kubeconfigFile)} ${what}`;
  }

  /** On the user's terminal; without one, non-interactive. */
  private pulumi(...args: string[]): Promise<number> {
    return this.io.draw
      ? watched("pulumi", args, this.place, undefined)
      : watched("pulumi", ["--non-interactive", "--color=never", ...args], this.place, this.io.out);
  }

  private get place() {
    return { cwd: this.root, env: this.env };
  }

  private get kubectlPlace() {
    return { ...this.place, env: { ...this.env, KUBECONFIG: this.kubeconfigFile } };
  }

  private told(file: string): string {
    return relative(this.root, file);
  }

  private say(text: string): void {
    this.io.out(text);
  }
}
