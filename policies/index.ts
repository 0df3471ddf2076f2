import { definePolicies } from "./define-policies";

// Constructing a pack starts its server; import `all` for the policies.
definePolicies();
