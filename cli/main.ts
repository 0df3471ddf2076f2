import { CheckoutError } from "../names/shipped-file";
import { version } from "../package.json";
import { type CommandIo, EXIT, guarded, processIo } from "./io";
import { keptByNpm } from "./npm-options";

interface Command {
  readonly main: (argv: string[], io: CommandIo) => Promise<number>;
  /** As for `parseArgs`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Loaded only when run. */
export const COMMANDS: Readonly<Record<string, { readonly purpose: string; readonly load: () => Promise<Command> }>> = {
  plan: { purpose: "what an environment makes, where models fit, what it costs", load: () => import("./plan") },
  model: { purpose: "what one model needs, and which machines it fits", load: () => import("./model") },
  list: { purpose: "models, machine shapes, cards and engines of the catalogue", load: () => import("./list") },
  import: { purpose: "an environment from files of other platforms", load: () => import("./import") },
  pin: { purpose: "fix the revisions of an environment's Hugging Face models", load: () => import("./pin") },
  pins: { purpose: "how old pinned releases are, and which are known to be vulnerable", load: () => import("./pins") },
  render: { purpose: "Kubernetes manifests for GitOps", load: () => import("./render") },
  gitops: { purpose: "move a running platform to Argo CD, and back", load: () => import("./gitops") },
  rancher: {
    purpose: "find or create an environment's cluster at its Rancher server",
    load: () => import("./rancher"),
  },
  portainer: {
    purpose: "find or create an environment's cluster at its Portainer server",
    load: () => import("./portainer"),
  },
  bundle: { purpose: "all that an environment takes from the internet, in one folder", load: () => import("./bundle") },
  charts: { purpose: "all Helm charts that a platform may install, fetched once", load: () => import("./charts") },
  doctor: {
    purpose: "whether an environment's cluster has what the platform needs",
    load: () => import("./doctor"),
  },
  rehearse: { purpose: "bring an environment up on a local control plane", load: () => import("./rehearse") },
  try: { purpose: "a cluster on this computer, the platform in it, and a first answer", load: () => import("./try") },
  status: { purpose: "what runs of an environment, how to call it, what is wrong", load: () => import("./status") },
  cost: { purpose: "plan and actual costs, by pool, model and tenant", load: () => import("./cost") },
  top: {
    purpose: "models, queues, latency, memory and pulls of a platform as they change",
    load: () => import("./top"),
  },
  fleet: { purpose: "plan, write and ask many nodes from one file", load: () => import("./fleet") },
  smoke: { purpose: "check a running platform", load: () => import("./smoke") },
  "alert-test": {
    purpose: "send a test alert to every receiver of a running platform",
    load: () => import("./alert-test"),
  },
  measure: { purpose: "how fast a model is served, for plans to count with", load: () => import("./measure") },
  calibrate: { purpose: "how fast models were served, from Prometheus", load: () => import("./calibrate") },
};

const USAGE = `Usage: npm run <command> -- [options], or: npx inference-stacks <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { purpose }]) => `  ${name.padEnd(12)}${purpose}\n`)
  .join("")}
npm run <command> -- --help explains one. npm start is the plan of dev.
`;

export async function run(argv: string[]): Promise<void> {
  endWithReader(process.stdout);
  process.exitCode = await runCommand(argv, processIo());
}

/** Exit status. A crash is a bug of ours and exits with 70. */
export async function runCommand(argv: string[], terminal: CommandIo): Promise<number> {
  const io = guarded(terminal);
  const [name = "", ...args] = argv;
  if (["--help", "-h", "help"].includes(name)) {
    io.out(USAGE);
    return EXIT.ok;
  }
  if (name === "--version") {
    io.out(`${version}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const problem = name === "" ? "name a command" : `there is no command "${name}"`;
    io.err(`${problem}; commands: ${Object.keys(COMMANDS).join(", ")}\n`);
    return EXIT.badInput;
  }
  try {
    const { main, options } = await command.load();
    const kept = keptByNpm(name, Object.keys(options), args);
    if (kept !== undefined) {
      io.err(`${kept}\n`);
      return EXIT.badInput;
    }
    return await main(args, io);
  } catch (error) {
    if (error instanceof CheckoutError) {
      io.err(`${error.message}\n`);
      return EXIT.badInput;
    }
    io.err(
      `this is a bug in inference-stacks, please report it:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 70;
  }
}

/** A closed pipe (`| head`) is no error: the rest is dropped, and the status stays. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") {
      throw error;
    }
  });
}
