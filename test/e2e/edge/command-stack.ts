import { remote, type types } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import * as automation from "@pulumi/pulumi/automation";
import { engineVariables } from "../engine/engine-variables";
import { type Operation, operation } from "../engine/operations";
import { connectAlone } from "../engine/own-connections";
import { startProvider } from "../engine/provider-process";
import { withoutReports } from "../engine/without-reports";
import type { Machine } from "./machine/machine";

export type CommandArgs = Omit<remote.CommandArgs, "connection"> & {
  readonly connection?: Partial<types.input.remote.ConnectionArgs>;
};

/** What is shown without asking for more. */
const SHOWN = ["info", "info#err", "warning", "error"];

/** A program with one command on a machine, on the real engine. */
export class CommandStack {
  private args: CommandArgs | undefined;

  private constructor(
    private readonly machine: Machine,
    private readonly stack: automation.Stack,
  ) {}

  static async start(machine: Machine): Promise<CommandStack> {
    const command = await startProvider(machine, "command", { SSH_AUTH_SOCK: "" });
    const { PATH, PULUMI_HOME, ...envVars } = engineVariables({
      home: machine.newFolder("pulumi-home"),
      backend: machine.newFolder("backend"),
      ports: { command },
    });
    process.env.PATH = PATH;
    connectAlone();
    const holder: { stack?: CommandStack } = {};
    const stack = await automation.LocalWorkspace.createStack(
      { projectName: "commands", stackName: "test", program: async () => holder.stack?.program() },
      { ...(PULUMI_HOME && { pulumiHome: PULUMI_HOME }), envVars },
    );
    holder.stack = new CommandStack(machine, withoutReports(stack));
    return holder.stack;
  }

  /** Deploys this command; undefined: none. */
  async up(
    args: CommandArgs | undefined,
  ): Promise<Operation & { readonly outputs: automation.OutputMap; readonly log: string }> {
    this.args = args;
    let log = "";
    const done = await operation((onEvent) =>
      this.stack.up({
        onEvent: (event) => {
          const { severity = "", message = "" } = event.diagnosticEvent ?? {};
          log += SHOWN.includes(severity) ? message : "";
          onEvent(event);
        },
        onOutput: () => undefined,
      }),
    );
    return { ...done, outputs: await this.stack.workspace.stackOutputs(this.stack.name), log };
  }

  /** What `up` says in the end when it fails. */
  async failure(args: CommandArgs): Promise<string> {
    return this.up(args).then(
      () => "it did not fail",
      (error: Error) => error.message,
    );
  }

  /** The state as the backend keeps it. */
  async state(): Promise<string> {
    return JSON.stringify((await this.stack.workspace.exportStack("test")).deployment);
  }

  private program(): Readonly<Record<string, pulumi.Output<string>>> {
    if (this.args === undefined) {
      return {};
    }
    const { address, user, keys } = this.machine;
    const { connection, ...args } = this.args;
    const { stdout, stderr } = new remote.Command("command", {
      ...args,
      connection: { host: address, user, privateKey: keys.privateKey, hostKey: keys.hostKey, ...connection },
    });
    return { stdout, stderr };
  }
}
