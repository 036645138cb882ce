/** `/api/instance/`: the installation, for people and programs that are logged in. */
import { json, route } from '../http/route.ts';
import { nullable, Type } from '../schema.ts';

export type Instance = {
  version: string;
  /** Address of the API. */
  publicUrl: string;
  temporal: { uiUrl: string | undefined; namespace: string };
  mail: boolean;
  /** The reason why nothing is delivered; undefined: deliveries work. */
  deliveriesBlocked(): Promise<string | undefined>;
};

export type InstanceApi = { instance: Instance };

const Address = Type.String({ format: 'uri' });

const InstanceBody = Type.Object(
  {
    version: Type.String(),
    temporal: Type.Object({
      ui_url: nullable(Address, { description: 'The address of Temporal’s UI; null if none is configured.' }),
      namespace: Type.String(),
    }),
    mail: Type.Object({
      configured: Type.Boolean({ description: 'Whether invites, password resets and notifications are sent by mail.' }),
    }),
    deliveries: Type.Object({
      blocked: Type.Boolean({
        description: 'Whether batch exports deliver nothing until an operator runs `sluice recover`.',
      }),
      reason: nullable(Type.String(), { description: 'Why deliveries are blocked; null if they are not.' }),
    }),
    links: Type.Object({
      api: Address,
      api_schema: Address,
      readiness: Address,
    }),
  },
  { title: 'Instance' },
);

const getInstance = route({
  method: 'get',
  path: '/api/instance/',
  access: { authenticated: true, limitedKeys: true },
  answers: { 200: InstanceBody },
  summary: 'Retrieve the version and settings of this installation',
  async handle(_request, { instance }: InstanceApi) {
    const { version, publicUrl, temporal, mail } = instance;
    const reason = await instance.deliveriesBlocked();
    const linkTo = (path: string) => publicUrl.replace(/\/$/, '') + path;
    return json(200, {
      version,
      temporal: { ui_url: withoutCredentials(temporal.uiUrl), namespace: temporal.namespace },
      mail: { configured: mail },
      deliveries: { blocked: reason !== undefined, reason: reason ?? null },
      links: { api: linkTo('/api/'), api_schema: linkTo('/api/schema/'), readiness: linkTo('/_readyz/') },
    });
  },
});

export const instanceRoutes = [getInstance];

/** @returns null for no address, and for an invalid one */
function withoutCredentials(address: string | undefined): string | null {
  if (address === undefined || !URL.canParse(address)) return null;
  const url = new URL(address);
  // tooth: instance-without-credentials
  [url.username, url.password, url.search, url.hash] = ['', '', '', ''];
  return url.href.replace(/\/$/, '');
}
