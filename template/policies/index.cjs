const { definePolicies } = require("inference-stacks/policies/define-policies");

// Own policies follow, as for PolicyPack of @pulumi/policy.
definePolicies([]);
