/** Digests: types and queries. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

export type Digest = Schemas['Digest'];
export type DigestEntry = Schemas['DigestEntry'];
export type DigestSection = Schemas['DigestSection'];
export type DigestSession = Schemas['DigestSession'];

/** The start of this feature's query keys. */
export const DIGESTS = ['digests'];

/** The newest digests. */
export const useDigests = () =>
  useQuery({
    queryKey: [...DIGESTS, 'list'],
    queryFn: ({ signal }) => client.get('/digests', { query: { limit: 100 }, signal }).then(({ items }) => items),
  });

export const useDigest = (id: string) =>
  useQuery({
    queryKey: [...DIGESTS, 'one', id],
    queryFn: ({ signal }) => client.get('/digests/{digestId}', { path: { digestId: id }, signal }),
  });
