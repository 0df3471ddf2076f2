import { requestedSettings } from "./engine-block";
import { type FileKind, readNamedFiles } from "./named-files";
import type { EnvironmentConfig } from "./schema";

const TEMPLATE: FileKind = {
  allowed: "a readable Jinja template",
  // Templates are a few kB, the largest known some 30; a ConfigMap holds 1 MiB.
  maxBytes: 256 * 1024,
  faultOf: (text) =>
    /\p{Cc}/u.test(text.replace(/[\t\r\n]/g, ""))
      ? { reason: "it is no text", fix: "give a chat template" }
      : undefined,
};

/**
 * By model.
 *
 * @param baseDirectory base of relative paths: the folder of the environment's file.
 * @throws ConfigError with every unreadable template.
 */
export function readChatTemplates(environment: EnvironmentConfig, baseDirectory: string): ReadonlyMap<string, string> {
  const files = Object.entries(environment.models).flatMap(([model, config]) => {
    const { chatTemplate: file } = requestedSettings(config);
    return file === undefined ? [] : [{ model, path: ["models", model, config.engine, "chatTemplate"], file }];
  });
  return readNamedFiles(files, TEMPLATE, baseDirectory);
}
