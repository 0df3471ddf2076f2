import { areAuthorities } from "./core/pem";
import { sourceAuthorities } from "./core/store-backend";
import { type FileKind, readNamedFiles } from "./named-files";
import type { EnvironmentConfig } from "./schema";

const AUTHORITIES: FileKind = {
  allowed: "a readable PEM file of authorities' certificates",
  // All CAs of browsers are some 220 kB; a ConfigMap holds 1 MiB.
  maxBytes: 512 * 1024,
  faultOf: (text) => {
    if (/PRIVATE KEY/.test(text)) {
      return { reason: "it holds a private key", fix: "take the key out, and treat it as leaked" };
    }
    return areAuthorities(text)
      ? undefined
      : { reason: "it holds something else", fix: "give the certificate of the authority that signed the server's" };
  },
};

/** Key of the token issuer's CAs; no model has this name. */
export const ISSUER_AUTHORITIES = "gateway.auth.oidc";

/** Key of a server group's registrar CAs. */
export function registrarAuthorities(group: string): string {
  return `nodes.${group}.registrar`;
}

/** Files of the authorities of those, and under what `readAuthorities` has them. */
export function sourceAuthorityFiles({ storage }: Pick<EnvironmentConfig, "storage">) {
  return (["buckets", "registries"] as const).flatMap((kind) =>
    Object.entries<{ readonly caFile?: string | undefined }>(storage[kind]).flatMap(([name, { caFile: file }]) =>
      file === undefined
        ? []
        : [{ model: sourceAuthorities(kind, name), path: ["storage", kind, name, "caFile"], file }],
    ),
  );
}

/** Files of the authorities of receivers of alerts, and under what `readAuthorities` has them. */
export function receiverAuthorityFiles({ observability: { alerts } }: Pick<EnvironmentConfig, "observability">) {
  const receivers = alerts === undefined || alerts === "none" ? {} : alerts;
  return Object.entries(receivers).flatMap(([kind, { caFile: file }]) => {
    const path = ["observability", "alerts", kind, "caFile"];
    return file === undefined ? [] : [{ kind, model: path.join("."), path, file }];
  });
}

/**
 * The authorities that an environment's external models name, by model, those of the issuer of tokens, of registrars, of
 * sources of models and of receivers: PEM.
 *
 * @param baseDirectory base of relative paths: the folder of the environment's file.
 * @throws ConfigError with every unreadable file.
 */
export function readAuthorities(environment: EnvironmentConfig, baseDirectory: string): ReadonlyMap<string, string> {
  const files = Object.entries(environment.externalModels).flatMap(([model, { external }]) => {
    const { caFile: file } = external;
    return file === undefined ? [] : [{ model, path: ["models", model, "external", "caFile"], file }];
  });
  const issuerFile = environment.gateway.auth?.oidc?.caFile;
  const ofIssuer =
    issuerFile === undefined
      ? []
      : [{ model: ISSUER_AUTHORITIES, path: ["gateway", "auth", "oidc", "caFile"], file: issuerFile }];
  const ofRegistrars = Object.entries(environment.nodes).flatMap(([group, { registrar }]) =>
    registrar?.caFile === undefined
      ? []
      : [{ model: registrarAuthorities(group), path: ["nodes", group, "registrar", "caFile"], file: registrar.caFile }],
  );
  return readNamedFiles(
    [
      ...files,
      ...ofIssuer,
      ...ofRegistrars,
      ...sourceAuthorityFiles(environment),
      ...receiverAuthorityFiles(environment),
    ],
    AUTHORITIES,
    baseDirectory,
  );
}
