/** Environment variables that say what destinations and webhooks may reach. */
import { stringEnum, Type } from './schema.ts';

export const EgressVariables = {
  EXPORT_ALLOWED_HOSTS: Type.String({
    default: '',
    description:
      'Private hosts, addresses or CIDR ranges that destinations and webhooks may use, comma-separated. Empty: public addresses only.',
  }),
  EXPORT_AWS_ROLES: stringEnum(['on', 'off'], {
    default: 'off',
    description:
      'Whether destinations may name AWS roles, which are assumed with the identity that AWS’s SDK finds for the API and the workers, as in `AWS_ACCESS_KEY_ID` or a web identity.',
  }),
};
