import { ArgoCd } from "../../../components/argo-cd/argo-cd";
import type { Built, Foundation, Given } from "../contract";
import type { GitopsConfig, GitopsSecret } from "./config";

export function build({
  settings: { engine, name: platform, repository, revision, path, username, caCerts },
  secrets: { gitopsToken },
  plan: { environment, stage },
  folder,
  name,
  options,
}: Given<Foundation, GitopsConfig, GitopsSecret>): Built<ArgoCd> {
  const component = new ArgoCd(
    name,
    {
      platform: platform ?? environment,
      stage,
      source: { repository, revision, path, ...(caCerts !== undefined && { caCerts }) },
      ...(gitopsToken && { credentials: { username, token: gitopsToken } }),
      folder,
    },
    options(),
  );
  const { application, adminPassword, page } = component;
  return { component, stackOutputs: { gitops: { engine, application, page, adminPassword } } };
}
