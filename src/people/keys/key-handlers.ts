/** Creates the handlers of the routes about keys. Personal and project keys differ in their owner and in how they are presented. */
import type { Caller } from '../../platform/http/access.ts';
import { json, noBody, type Answer } from '../../platform/http/route.ts';
import type { ApiKeys } from './api-keys.ts';
import { newSettingsOf, settingsOf, type GivenSettings, type NewGivenSettings } from './api-keys.schema.ts';
import type { ApiKey, IssuedKey, KeyOwner } from './keys.store.ts';

type PresentableKey = ApiKey | IssuedKey;

export function keyHandlers<From extends { caller: Caller }, Api extends { apiKeys: ApiKeys }>(
  ownerOf: (request: From) => KeyOwner,
  present: (keys: readonly PresentableKey[], api: Api) => Promise<object[]>,
) {
  type RequestForKey = From & { params: { id: string } };

  async function answer(status: number, key: Promise<PresentableKey>, api: Api): Promise<Answer> {
    const [presented] = await present([await key], api);
    return json(status, presented);
  }

  return {
    async list(request: From, api: Api): Promise<Answer> {
      return json(200, await present(await api.apiKeys.list(ownerOf(request)), api));
    },
    create(request: From & { body: NewGivenSettings }, api: Api): Promise<Answer> {
      return answer(201, api.apiKeys.create(ownerOf(request), newSettingsOf(request.body), request.caller), api);
    },
    get(request: RequestForKey, api: Api): Promise<Answer> {
      return answer(200, api.apiKeys.get(ownerOf(request), request.params.id), api);
    },
    change(request: RequestForKey & { body: GivenSettings }, api: Api): Promise<Answer> {
      const { params, body, caller } = request;
      return answer(200, api.apiKeys.change(ownerOf(request), params.id, settingsOf(body), caller), api);
    },
    roll(request: RequestForKey & { body: { grace_seconds: number } }, api: Api): Promise<Answer> {
      const { params, body, caller } = request;
      return answer(200, api.apiKeys.roll(ownerOf(request), params.id, body.grace_seconds, caller), api);
    },
    async delete(request: RequestForKey, api: Api): Promise<Answer> {
      await api.apiKeys.delete(ownerOf(request), request.params.id, request.caller);
      return noBody(204);
    },
  };
}
