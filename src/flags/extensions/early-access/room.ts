/** Assembles the API of early access features: their management, and their list for web pages. */
import type { Route } from '../../../platform/http/route.ts';
import type { LiveDefinitions } from '../../definitions/live-definitions.ts';
import type { FlagStores } from '../../stores.ts';
import { earlyAccessRoutes, type EarlyAccessApi as ManagementApi } from './features.routes.ts';
import { earlyAccessFeatures } from './features.ts';
import { publishedFeatureRoutes, publishedFeatures, type PublishedFeaturesApi } from './published.routes.ts';

export type EarlyAccessApi = ManagementApi & PublishedFeaturesApi;

export const earlyAccessApiRoutes: readonly Route<EarlyAccessApi>[] = [...publishedFeatureRoutes, ...earlyAccessRoutes];

export function earlyAccessApi(stores: FlagStores, definitions: Pick<LiveDefinitions, 'find'>): EarlyAccessApi {
  return {
    earlyAccessFeatures: earlyAccessFeatures(stores),
    publishedFeatures: publishedFeatures(definitions, stores.earlyAccess),
  };
}
