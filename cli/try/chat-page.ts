import { isMap, isPair, isScalar, parseDocument } from "yaml";
import { z } from "zod";
import { CONFIG_NAMESPACE } from "./environment";

export const chatPageOutputs = z.object({
  openWebUi: z.object({
    address: z.url(),
    adminEmail: z.string(),
    /** Command that prints it. */
    adminPassword: z.string(),
    /** Access without an external address. */
    forward: z.object({ command: z.string(), address: z.url() }).optional(),
  }),
});
export type ChatPageOutputs = z.output<typeof chatPageOutputs>["openWebUi"];

const SECTION = ["config", `${CONFIG_NAMESPACE}:openWebUi`];
const CONSUMERS = ["config", `${CONFIG_NAMESPACE}:gateway`, "consumers"];
const MODELS = ["config", `${CONFIG_NAMESPACE}:models`];

/** The page's consumer: the default of openWebUi.consumer. */
const CONSUMER = "open-webui";

export function hasChatPage(environment: string): boolean {
  return parseDocument(environment).hasIn(SECTION);
}

/**
 * An environment with a chat page for all models.
 *
 * @param authority the gateway's CA, PEM: it exists after the platform's first start.
 */
export function withChatPage(environment: string, authority: string): string {
  const document = parseDocument(environment);
  const models = document.getIn(MODELS);
  const names = isMap(models)
    ? models.items.flatMap((pair) => (isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : []))
    : [];
  if (!isMap(document.getIn(CONSUMERS))) {
    document.setIn(CONSUMERS, document.createNode({ default: {} }));
  }
  document.setIn([...CONSUMERS, CONSUMER], document.createNode({ models: names }));
  const section = {
    hostname: "chat.example.internal",
    adminEmail: "admin@example.internal",
    storageGiB: 1,
    gatewayAuthorities: authority,
  };
  document.setIn(SECTION, document.createNode(section));
  return document.toString({ lineWidth: 0 });
}

/** How to open the page on this computer. */
export function openingText(
  { address, adminEmail, adminPassword, forward }: ChatPageOutputs,
  kubeconfig: string,
): string {
  const { hostname } = new URL(address);
  const lines = [
    `export KUBECONFIG=${kubeconfig}`,
    ...(forward ? [forward.command] : []),
    ...(forward ? [`127.0.0.1 ${hostname}   (a line of the hosts file of this computer)`] : []),
    `${forward?.address ?? address}   (the browser warns: the certificate is of the cluster's own authority)`,
    `${adminEmail}, with the password of: ${adminPassword}`,
  ];
  return `The chat page is up. In this order:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}
