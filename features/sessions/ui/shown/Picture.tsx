/** An image from an agent or a user. Only file types that can't contain anything else are shown. */

const KINDS = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/** The image's address, or null if it isn't shown. */
export const pictureAddress = (mime: string, data: string): string | null =>
  KINDS.test(mime) && BASE64.test(data) && data !== '' ? `data:${mime};base64,${data}` : null;

export function Picture({ mime, data, label }: { mime: string; data: string; label: string }) {
  const source = pictureAddress(mime, data);
  return source ? (
    <img className="picture" src={source} alt={label} />
  ) : (
    <p className="picture-not">Unsupported image type ({mime || 'unnamed'}).</p>
  );
}
