import { forwarded, gatewayAddress } from "../../../components/gateway/address";
import { OWN_FOLDERS } from "../../../planner/storage";
import type { CapacityProblem } from "../../../planner/types";
import type { CoreConfig } from "../../config/core/schema";
import { bucketBackend } from "../../config/core/store-backend";
import type { NamedGateway } from "../../config/core/wildcard-dns";
import type { OpenWebUiConfig } from "./config";

/** Address and sign-in of the page, and what the plan cannot check. */
export function pageAdvice(settings: OpenWebUiConfig, gateway: NamedGateway): CapacityProblem[] {
  return [whereAndWho(settings, gateway), ...ownAuthority(settings, gateway)];
}

function whereAndWho({ hostname, adminEmail, signIn }: OpenWebUiConfig, gateway: NamedGateway): CapacityProblem {
  const access = { ...gateway, hostname };
  const forward = forwarded(access);
  const issuer = signIn && gateway.auth?.oidc?.issuer;
  const parts = [
    `the page answers at ${gatewayAddress(access)}`,
    ...(forward
      ? [
          `without an address outside: \`${forward.command}\`, 127.0.0.1 ${hostname} in the hosts file, ${forward.address}`,
        ]
      : []),
    `${adminEmail} signs in by its password${issuer ? `, all others by ${issuer}: no account of the issuer may have the address ${adminEmail}, which is refused as taken` : ", and makes all other accounts"}`,
  ];
  return advice("chat-page", "openWebUi", parts);
}

/** Only the cluster reads the Secret: the plan does not know its certificate's CA. */
function ownAuthority({ gatewayAuthorities }: OpenWebUiConfig, { tls }: NamedGateway): CapacityProblem[] {
  const signer = tls.kind === "secret" ? tls.secretName : tls.kind === "issuer" ? tls.clusterIssuer : undefined;
  return signer !== undefined && gatewayAuthorities === undefined
    ? [
        advice("chat-page-authority", "openWebUi.gatewayAuthorities", [
          `every message fails unless browsers trust the authority of the certificate in ${signer}`,
          "with an authority of your own, write its certificate here",
        ]),
      ]
    : [];
}

/** In the cluster each user of the store has its own policy; those of a bucket elsewhere are the provider's. */
export function copiesAdvice(storage: Pick<CoreConfig["storage"], "backend">): CapacityProblem[] {
  const { bucket } = bucketBackend(storage) ?? {};
  return bucket === undefined
    ? []
    : [
        advice("chat-page-copies", "storage.backend.reader", [
          `backups of the page, with its accounts and chats, lie in ${bucket} below ${OWN_FOLDERS.copies}/, and pods of all models hold the reader's keys`,
          `deny the reader ${OWN_FOLDERS.copies}/* at the provider (docs/own-weights.md)`,
        ]),
      ];
}

function advice(rule: string, subject: string, parts: readonly string[]): CapacityProblem {
  return { severity: "advisory", rule, subject, message: `${parts.join("; ")}.` };
}
