import { findModel } from "../../../catalog/models";
import { engineOf } from "../../../engines";
import { isPrivateIpv4 } from "../../../names/cidr";
import { outsideServer } from "../../../names/outside-server";
import { isPrivateName } from "../../../names/private-name";
import { limitsOf, tenantsOf } from "../../../planner/tenants";
import { jwksUrl } from "../../config/core/jwks-url";
import { privateNameProblems } from "../../config/core/outside-url";
import { authorityProblems } from "../../config/core/pem";
import { list } from "../../config/core/problems";
import type { Rule, RuleContext } from "../../config/core/rule";
import { unreadSecrets } from "../../config/core/unread-secrets";
import { hostnameOf, type WrittenGateway } from "../../config/core/wildcard-dns";
import type { OpenWebUiConfig } from "./config";

type Own = { readonly openWebUi?: OpenWebUiConfig };

export const openWebUiHasItsOwnHostname: Rule<Own> = function* ({ sections: { openWebUi, gateway } }) {
  if (openWebUi !== undefined && openWebUi.hostname === (gateway && hostnameOf(gateway))) {
    yield {
      path: ["openWebUi", "hostname"],
      value: openWebUi.hostname,
      allowed: "another name than the gateway's: models answer there",
      fix: `write for example chat.${openWebUi.hostname}`,
    };
  }
};

/** The page has one consumer's rights, of which only chat models matter. */
export const openWebUiConsumerChats: Rule<Own> = function* ({ sections }) {
  const { openWebUi, gateway, models, externalModels } = sections;
  if (openWebUi === undefined || gateway === undefined || models === undefined || externalModels === undefined) {
    return;
  }
  const { consumer } = openWebUi;
  const chats = chatModels(sections);
  const fix = `add under gateway.consumers, as a mapping: ${consumer}: { models: [${chats.join(", ")}] }`;
  if (chats.length === 0) {
    yield {
      path: ["openWebUi"],
      value: openWebUi.hostname,
      allowed: "a chat page with a model that chats: none of this environment has task: chat and OpenAI's API",
      fix: "remove the section, or add a model with task: chat",
    };
    return;
  }
  if (!tenantsOf(gateway.consumers).some(({ name }) => name === consumer)) {
    yield { path: ["openWebUi", "consumer"], value: consumer, allowed: "a consumer of gateway.consumers", fix };
    return;
  }
  const named = limitsOf(gateway.consumers)[consumer]?.models;
  const others = [...Object.keys(models), ...Object.keys(externalModels)].filter((name) => !chats.includes(name));
  const wrong = named === undefined ? others : named.filter((name) => others.includes(name));
  if (wrong.length > 0) {
    yield {
      path: ["gateway", "consumers", consumer, "models"],
      value: named,
      allowed: `models that chat, because the chat page has this key: ${list(chats)}`,
      fix,
    };
  }
};

/** A wrong one has its own message. */
export const openWebUiSignsInByTheIssuer: Rule<Own> = function* ({ sections: { openWebUi, gateway }, declared }) {
  if (openWebUi?.signIn !== undefined && gateway !== undefined && !declared.isWritten(["gateway", "auth", "oidc"])) {
    yield {
      path: ["openWebUi", "signIn"],
      value: openWebUi.signIn.clientId,
      allowed: "a client of the issuer of gateway.auth.oidc, which is not set",
      fix: "add gateway.auth.oidc, or remove signIn: an administrator makes accounts then",
    };
  }
};

/** The page calls the issuer itself, by the networks of its keys; where those have a private name, the message is about them. */
export const openWebUiReachesTheIssuer: Rule<Own> = function* ({ sections: { openWebUi, gateway } }) {
  const { oidc } = gateway?.auth ?? {};
  if (openWebUi?.signIn === undefined || oidc === undefined || oidc.networks !== undefined) {
    return;
  }
  const issuer = outsideServer(oidc.issuer);
  const keys = outsideServer(jwksUrl(oidc) ?? "");
  if (issuer !== undefined && keys !== undefined && !isPrivateName(keys.host)) {
    yield* privateNameProblems(["gateway", "auth", "oidc"], issuer);
  }
};

export const openWebUiSecretIsRead: Rule<Own> = (context) =>
  unreadSecrets(context, { openWebUiClientSecret: { path: ["openWebUi", "signIn"] } });

/** A private authority is known to no image: with the platform's own, not before it was made. */
export const openWebUiKnowsTheAuthority: Rule<Own> = function* ({ sections: { openWebUi, gateway } }) {
  const { gatewayAuthorities } = openWebUi ?? {};
  const why = gateway && privateAuthority(gateway);
  if (openWebUi !== undefined && why !== undefined && gatewayAuthorities === undefined) {
    yield {
      path: ["openWebUi", "gatewayAuthorities"],
      value: undefined,
      allowed: `the authority of gateway.tls, which no image knows${why.reason}`,
      fix: why.fix,
    };
  }
  yield* authorityProblems(
    ["openWebUi", "gatewayAuthorities"],
    gatewayAuthorities,
    "give the certificate of the authority, not that of the server",
  );
};

/** Why browsers distrust the gateway's certificate, and a fix; undefined for a public CA. */
function privateAuthority(gateway: WrittenGateway): { readonly reason: string; readonly fix: string } | undefined {
  const { tls, wildcardDns } = gateway;
  const name = hostnameOf(gateway) ?? "";
  if (tls.kind === "self-signed") {
    return {
      reason: "",
      fix: "deploy without the section once, then: kubectl -n inference-gateway get secret gateway-tls -o jsonpath='{.data.ca\\.crt}' | base64 -d",
    };
  }
  const server = tls.kind === "acme" ? outsideServer(tls.server ?? "")?.host : undefined;
  const isPrivate = isPrivateName(name) || (wildcardDns !== undefined && isPrivateIpv4(wildcardDns.address));
  return isPrivate || (server !== undefined && isPrivateName(server))
    ? {
        reason: isPrivate ? `: no public authority certifies ${name}` : `: ${server} is of a private network`,
        fix: "write the certificate of the authority that signs the gateway's, in PEM",
      }
    : undefined;
}

/** By key, over OpenAI's API; revisions answer by their model's name. */
function chatModels({ models = {}, externalModels = {} }: RuleContext["sections"]): string[] {
  return [
    ...Object.entries(models).flatMap(([name, { task, model, engine, revisionOf }]) =>
      (task ?? findModel(model ?? "")?.task ?? "chat") === "chat" &&
      engineOf(engine).ports.openai !== undefined &&
      revisionOf === undefined
        ? [name]
        : [],
    ),
    ...Object.entries(externalModels).flatMap(([name, { task }]) => (task === "chat" ? [name] : [])),
  ];
}

/** Copies of its chats go into the model store. */
export const openWebUiBackupsHaveAPlace: Rule<Own> = function* ({ sections: { openWebUi, storage } }) {
  const backend = storage?.backend ?? "minio";
  const isWritten = typeof backend === "object" ? backend.writer !== undefined : backend === "minio";
  if (openWebUi !== undefined && !isWritten) {
    yield {
      path: ["storage", "backend", ...(typeof backend === "object" ? ["writer"] : [])],
      value: typeof backend === "object" ? undefined : backend,
      allowed: "with openWebUi a store that is written to: nightly backups of the page go there",
      fix:
        typeof backend === "object"
          ? "add keys of a user who may write"
          : "remove storage.backend, or name a bucket with writer",
    };
  }
};
