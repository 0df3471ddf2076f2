import { forwarded, gatewayAddress } from "../../../components/gateway/address";
import { OPEN_WEBUI } from "../../../components/open-webui/names";
import { OpenWebUi } from "../../../components/open-webui/open-webui";
import { tenantsOf } from "../../../planner/tenants";
import type { Built, Foundation, Given } from "../contract";
import type { OpenWebUiConfig, OpenWebUiSecret } from "./config";
import { pageModels } from "./page-models";

export function build({
  settings,
  secrets,
  environment,
  plan,
  endpoints,
  cluster,
  consumerKeys,
  store,
  name,
  options,
}: Given<Foundation, OpenWebUiConfig, OpenWebUiSecret>): Built<OpenWebUi> {
  const { hostname, consumer, adminEmail, storageGiB, signIn, gatewayAuthorities } = settings;
  const { gateway } = environment;
  const tenant = tenantsOf(gateway.consumers, environment.models).find((each) => each.name === consumer);
  const consumerKey = consumerKeys[consumer];
  if (tenant === undefined || consumerKey === undefined) {
    throw new Error(`openWebUi.consumer names "${consumer}", which is no consumer: validation should have refused it`);
  }
  if (store === undefined) {
    throw new Error("openWebUi without a model store: validation should have refused it");
  }
  const { tokenIssuer } = plan;
  const access = { ...gateway, hostname };
  const forward = forwarded(access);
  const component = new OpenWebUi(
    name,
    {
      address: gatewayAddress(access),
      ...(forward && { forwardedAddress: forward.address }),
      adminEmail,
      models: pageModels(tenant, endpoints, plan.externalModels),
      ...(signIn && tokenIssuer && { signIn: { ...signIn, issuer: tokenIssuer.issuer } }),
      ...(signIn && tokenIssuer?.authorities && { issuerAuthorities: tokenIssuer.authorities.text }),
      ...(secrets.openWebUiClientSecret && { clientSecret: secrets.openWebUiClientSecret }),
      gateway: {
        hostname: gateway.hostname,
        consumerKey,
        ...(gatewayAuthorities !== undefined && { authorities: gatewayAuthorities }),
      },
      storageGiB,
      cluster,
      protect: plan.stage === "production",
      copies: store.copiesOf(OPEN_WEBUI),
    },
    // Backups need the store; the page asks the gateway on use.
    options(store),
  );
  const { address, adminPassword } = component;
  return {
    component,
    stackOutputs: { openWebUi: { address, adminEmail, adminPassword, ...(forward && { forward }) } },
  };
}
