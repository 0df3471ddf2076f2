import { parseArgs } from "node:util";
import { LOCAL_CLUSTER_TOOLS, type LocalClusterTool } from "../../catalog/local-clusters";
import { lineOf } from "../io";
import { TRIAL } from "./environment";

export const TRY_USAGE = `Usage: npm run try [-- options], or: make try

Makes a cluster in a container of this computer, brings the platform of dev up in it, and asks its model one question.
It needs the Pulumi command line, Docker or Podman, k3d or kind, and kubectl, and says which of them is missing. Its
environment is Pulumi.${TRIAL}.yaml, written from Pulumi.dev.yaml the first time, and its stack is ${TRIAL}.

  --tool NAME        what makes the cluster: ${LOCAL_CLUSTER_TOOLS.join(" or ")} (default: the first that is there)
  --question TEXT    what is asked (default "Say hello, and what you are, in one sentence.")
  --chat             a chat page too: Open WebUI, which people sign in to with a browser (docs/open-webui.md)
  --remove           remove it all again: the platform, the cluster, the stack and its files
  --help             this text

Exit status: 0 the model answered, or all is removed; 1 something is missing or failed; 2 bad input.
`;

export const TRY_OPTIONS = {
  tool: { type: "string" },
  question: { type: "string" },
  chat: { type: "boolean", default: false },
  remove: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface TryArguments {
  readonly tool: LocalClusterTool | undefined;
  readonly question: string;
  /** With a chat page. */
  readonly chat: boolean;
  readonly remove: boolean;
}

/** Arguments, "help", or a problem. */
export function readTryArguments(argv: string[]): TryArguments | "help" | { readonly problem: string } {
  try {
    const { values } = parseArgs({ args: argv, options: TRY_OPTIONS });
    if (values.help) {
      return "help";
    }
    const tool = LOCAL_CLUSTER_TOOLS.find((name) => name === values.tool);
    if (values.tool !== undefined && tool === undefined) {
      return { problem: `--tool must be ${LOCAL_CLUSTER_TOOLS.join(" or ")}, is "${values.tool}"` };
    }
    return {
      tool,
      question: values.question ?? "Say hello, and what you are, in one sentence.",
      chat: values.chat,
      remove: values.remove,
    };
  } catch (error) {
    return { problem: lineOf(error) };
  }
}
